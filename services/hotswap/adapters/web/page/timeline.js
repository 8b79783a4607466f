// The switches of the cluster, newest first.

import { t, reason, latency } from './text.js';
import { mark } from './lanes.js';

const shown = 12;

export class Timeline {
  constructor(list) {
    this.list = list;
    this.switches = new Map(); // by id
  }

  /** put notes a switch and reports whether it was not known. */
  put(s) {
    const isNew = !this.switches.has(s.id);
    this.switches.set(s.id, s);
    return isNew;
  }

  remove(id) { this.switches.delete(id); }

  clear() { this.switches.clear(); }

  draw() {
    const newest = [...this.switches.values()].sort((a, b) => b.at - a.at || b.position - a.position).slice(0, shown);
    this.list.replaceChildren(...newest.map(entry));
    if (newest.length === 0) this.list.replaceChildren(nothing());
  }
}

function nothing() {
  const li = document.createElement('li');
  li.className = 'nothing';
  li.textContent = t('noSwitches');
  return li;
}

function entry(s) {
  const li = document.createElement('li');
  li.dataset.target = s.target;
  const time = document.createElement('time');
  time.dateTime = new Date(s.at).toISOString();
  time.textContent = new Date(s.at).toLocaleTimeString('en-GB');
  const what = document.createElement('strong');
  what.append(mark(s.target === 'primary' ? 'p' : 'f'), t('to', { target: s.target }));
  const why = document.createElement('span');
  why.textContent = whyOf(s).join(t('comma'));
  const how = document.createElement('span');
  how.className = 'applied';
  how.textContent = applied(s);
  how.title = Object.entries(s.applied).map(([name, ms]) => `${name}: ${latency(ms)}`).join('\n');
  const line = document.createElement('div');
  line.append(what, ' ', why);
  li.append(time, line, how);
  return li;
}

function whyOf(s) {
  const parts = s.reason === 'manual' ? [] : [reason(s.reason)];
  parts.push(t(s.manual ? 'byHand' : 'by', { author: s.author }));
  if (s.pinned) parts.push(t('pinned'));
  return parts;
}

/** applied says how long the switch took to move those that it moved. */
function applied(s) {
  const took = Object.values(s.applied);
  const parts = [];
  if (took.length) parts.push(t(took.length === 1 ? 'moved1' : 'moved', { n: took.length, max: latency(Math.max(...took)) }));
  if (s.waiting) parts.push(t('waiting', { n: s.waiting }));
  if (!took.length && !s.waiting) parts.push(s.manual ? '' : t('fromLog'));
  return parts.join(t('comma'));
}
