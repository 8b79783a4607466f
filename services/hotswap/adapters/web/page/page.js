// Draws what the stream of events tells. The page believes nothing of its own:
// all that it shows was reported by a service.

import { t, reason, seconds, setUpLanguage, stored, store } from './text.js';
import { follow } from './stream.js';
import { Lanes } from './lanes.js';
import { Timeline } from './timeline.js';
import { setUpActions, offer, forget } from './actions.js';

const $ = (id) => document.getElementById(id);
const lanes = new Lanes($('lanes'));
const timeline = new Timeline($('switches'));
const upstreams = new Map();
let page = null;
let link = 'connecting';

function update(u) {
  if (u.page) page = u.page;
  if (u.full) {
    lanes.keepOnly(new Set((u.lanes ?? []).map((lane) => lane.id)));
    timeline.clear();
  }
  for (const id of u.gone ?? []) lanes.remove(id);
  for (const lane of u.lanes ?? []) announceLane(lanes.put(lane), lane);
  for (const id of u.void ?? []) timeline.remove(id);
  for (const s of u.switches ?? []) {
    if (timeline.put(s) && !u.full) announce(t('newsSwitch', { target: s.target, reason: reason(s.reason), author: s.author }));
  }
  const now = performance.now();
  for (const up of u.upstreams ?? []) upstreams.set(up.name, { ...up, until: up.left == null ? null : now + up.left });
  if (u.full || u.switches || u.void) timeline.draw();
  drawRest();
}

function drawRest() {
  const alive = lanes.all().filter((lane) => !lane.silent);
  const on = (name) => alive.filter((lane) => lane.active === name).length;
  const alone = alive.filter((lane) => !lane.connected).length;
  $('summary').textContent = t('summary', { n: alive.length, primary: on('primary'), fallback: on('fallback') }) +
    (alone ? t('comma') + t('summaryAlone', { n: alone }) : '');
  const sum = (key) => lanes.all().reduce((n, lane) => n + lane.counts[key], 0);
  $('suffered').textContent = sum('timeouts');
  $('independent').textContent = sum('outages');
  offer(alive.map((lane) => lane.name).sort(new Intl.Collator('en', { numeric: true }).compare));
  document.body.classList.toggle('no-chaos', page?.chaos === false);
  $('served').textContent = page ? t('served', { name: page.instance }) : '';
  tick();
}

function tick() {
  for (const [name, up] of upstreams) drawUpstream($(`upstream-${name}`), up);
  lanes.tick();
}

function drawUpstream(card, up) {
  if (!card) return;
  const failing = up.fault && up.fault !== 'none';
  const state = up.state === 'away' ? 'away' : failing ? up.fault : up.state;
  if (card.dataset.state !== state) card.dataset.state = state;
  const text = upstreamText(up, failing);
  const p = card.querySelector('.state');
  if (p.textContent !== text) p.textContent = text;
}

function upstreamText(up, failing) {
  if (up.state === 'away') return t('away');
  const left = up.until === null ? null : seconds(up.until - performance.now());
  if (failing) return t(up.fault, { status: up.status, delay: up.delay }) + t('comma') + (left ? t('left', { left }) : t('untilTold'));
  if (up.state === 'down') return t('down');
  if (left) return t('answersFor', { left });
  return up.mode === 'healthy' ? t('answersUntil') : t('up');
}

// What a screen reader is told: rare, short, and never faster than it can speak.
const news = [];
let speaking = false;

function announce(text) {
  if (news.length < 4) news.push(text);
  if (!speaking) speak();
}

function speak() {
  speaking = news.length > 0;
  if (!speaking) return;
  $('news').textContent = news.shift();
  setTimeout(speak, 2500);
}

function announceLane(before, lane) {
  if (!before || before.connected === lane.connected) return;
  announce(t(lane.connected ? 'newsConnected' : 'newsAlone', { name: lane.name }));
}

function linked(state) {
  if (state === link && $('link-text').textContent) return;
  if (state === 'lost' && link === 'open') announce(t('newsLost'));
  if (state === 'open' && link === 'lost') announce(t('newsOpen'));
  link = state;
  drawLink();
}

function drawLink() {
  $('link').dataset.state = link;
  $('link-text').textContent = t(`link${link[0].toUpperCase()}${link.slice(1)}`);
  document.body.classList.toggle('stale', link === 'lost');
}

function setUpTheme() {
  const select = $('theme');
  const apply = () => { document.documentElement.dataset.theme = select.value; };
  select.value = new URLSearchParams(location.search).get('theme') ?? stored('theme') ?? 'auto';
  if (!select.value) select.value = 'auto';
  apply();
  select.addEventListener('change', () => { store('theme', select.value); apply(); });
}

setUpTheme();
setUpLanguage($('language'), () => { forget(); lanes.redraw(); timeline.draw(); drawLink(); drawRest(); });
setUpActions(() => lanes.all().find((lane) => lane.self)?.active ?? 'primary');
follow(update, linked);
setInterval(tick, 250);
