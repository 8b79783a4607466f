// Each button is one HTTP call, and shows what the service answered.

import { t } from './text.js';

const $ = (id) => document.getElementById(id);

/** setUpActions connects the buttons. active returns the adapter of this page's instance. */
export function setUpActions(active) {
  for (const button of document.querySelectorAll('[data-fault]')) {
    button.addEventListener('click', () => call(button, 'PUT', 'chaos/primary', fault(button.dataset.fault)));
  }
  on('to-primary', 'PUT', 'adapter', () => ({ target: 'primary' }));
  on('to-fallback', 'PUT', 'adapter', () => ({ target: 'fallback' }));
  on('pin', 'PUT', 'adapter', () => ({ target: active(), pinned: true }));
  on('release', 'PUT', 'adapter', () => ({ pinned: false }));
  on('cut', 'PUT', instance, () => ({ bus: 'cut', for: '20s' }));
  on('mend', 'PUT', instance, () => ({ bus: 'connected' }));
  on('reset', 'POST', 'chaos/reset', () => undefined);
}

function on(id, method, path, body) {
  const button = $(id);
  button.addEventListener('click', () => call(button, method, typeof path === 'function' ? path() : path, body()));
}

const instance = () => `chaos/instances/${encodeURIComponent($('target').value)}`;

function fault(mode) {
  const lasting = $('lasting').value;
  return mode === 'cycle' || lasting === 'good' ? { mode } : { mode, for: lasting };
}

async function call(button, method, path, body) {
  const result = $('result');
  const what = button.textContent;
  result.className = '';
  result.textContent = '…';
  try {
    const response = await fetch(path, {
      method, headers: { 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body), signal: AbortSignal.timeout(8000),
    });
    if (response.ok) {
      result.textContent = t('done', { what });
      return;
    }
    const problem = await response.json().catch(() => ({}));
    say(result, t('refused', { what: problem.detail ?? response.statusText }));
  } catch (error) {
    say(result, t('unreached', { what: error.message }));
  }
}

/** forget takes back what was said of the last action. */
export function forget() {
  $('result').textContent = '';
}

function say(result, text) {
  result.className = 'bad';
  result.textContent = text;
}

/** offer lists the instances that can be cut off, and keeps the choice. */
export function offer(names) {
  const select = $('target');
  if ([...select.options].map((o) => o.value).join('\n') === names.join('\n')) return;
  const chosen = select.value;
  select.replaceChildren(...names.map((name) => new Option(name, name)));
  select.value = names.includes(chosen) ? chosen : names.at(-1) ?? '';
}
