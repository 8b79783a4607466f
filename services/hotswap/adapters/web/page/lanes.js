// One lane for each instance: its adapter, its place in the log, its last answers.

import { t, seconds } from './text.js';

// More instances than these get lower lanes, and a grid of small ones.
const roomy = 3;
const several = 6;
const shown = { roomy: 40, compact: 10 };
const svg = 'http://www.w3.org/2000/svg';

/** mark makes the shape of one answer. */
export function mark(kind) {
  const picture = document.createElementNS(svg, 'svg');
  picture.setAttribute('class', `mark ${kind}`);
  picture.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(svg, 'use');
  use.setAttribute('href', `#mark-${kind}`);
  picture.append(use);
  return picture;
}

function element(tag, className) {
  const e = document.createElement(tag);
  e.className = className;
  return e;
}

/** Lanes draws lanes into a list. */
export class Lanes {
  constructor(list) {
    this.list = list;
    this.lanes = new Map(); // by id: {data, row, drawn}
  }

  all() { return [...this.lanes.values()].map((lane) => lane.data); }

  /** put draws a lane, new or changed, and returns what it was before. */
  put(data) {
    const now = performance.now();
    let lane = this.lanes.get(data.id);
    const before = lane?.data;
    if (!lane) {
      lane = { drawn: 0, parts: row() };
      this.lanes.set(data.id, lane);
    }
    data.cutUntil = now + (data.cutFor ?? 0);
    lane.data = data;
    this.draw(lane);
    if (!before || before.name !== data.name) this.place();
    return before;
  }

  remove(id) {
    const lane = this.lanes.get(id);
    if (!lane) return;
    lane.parts.li.remove();
    this.lanes.delete(id);
    this.place();
  }

  keepOnly(ids) {
    for (const id of this.lanes.keys()) if (!ids.has(id)) this.remove(id);
  }

  /** place keeps the lanes in the order of their names. */
  place() {
    const compare = new Intl.Collator('en', { numeric: true }).compare;
    const inOrder = [...this.lanes.values()].sort((a, b) => compare(a.data.name, b.data.name) || (a.data.id < b.data.id ? -1 : 1));
    const compact = inOrder.length > several;
    this.list.classList.toggle('several', inOrder.length > roomy && !compact);
    if (compact !== this.compact) {
      this.compact = compact;
      this.list.classList.toggle('compact', compact);
      document.body.classList.toggle('many', compact);
      this.redraw();
    }
    inOrder.forEach((lane, i) => {
      if (this.list.children[i] !== lane.parts.li) this.list.insertBefore(lane.parts.li, this.list.children[i] ?? null);
    });
  }

  /** redraw draws everything anew, in another language or size. */
  redraw() {
    for (const lane of this.lanes.values()) {
      lane.parts.marks.replaceChildren();
      lane.drawn = 0;
      this.draw(lane, true);
    }
  }

  /** tick counts down what ends by itself. */
  tick() {
    for (const lane of this.lanes.values()) if (lane.data.cut) drawState(lane);
  }

  draw(lane, quiet = false) {
    const { data, parts } = lane;
    parts.li.dataset.adapter = data.active;
    parts.li.dataset.name = data.name;
    parts.li.classList.toggle('silent', Boolean(data.silent));
    parts.name.textContent = data.name;
    parts.self.textContent = data.self && !this.compact ? t('thisPage') : '';
    parts.adapterName.textContent = data.active;
    parts.adapterMark.replaceChildren(mark(data.active === 'primary' ? 'p' : 'f'));
    parts.position.textContent = t('position', { n: data.position });
    drawState(lane);
    drawMarks(lane, this.compact ? shown.compact : shown.roomy, quiet);
  }
}

function row() {
  const li = element('li', 'lane');
  const who = element('div', 'who');
  const name = element('span', 'name');
  const self = element('span', 'self');
  who.append(name, self);
  const adapter = element('div', 'adapter');
  const adapterMark = element('span', 'adapter-mark');
  const adapterName = element('span', 'adapter-name');
  adapter.append(adapterMark, adapterName);
  const marks = element('div', 'marks');
  marks.setAttribute('role', 'img');
  const how = element('div', 'how');
  const state = element('span', 'state');
  const position = element('span', 'position');
  how.append(state, position);
  li.append(who, adapter, marks, how);
  return { li, name, self, adapterMark, adapterName, marks, state, position };
}

/** stateOf names the most important thing to know of a lane's connection. */
function stateOf(data) {
  if (data.silent) return ['silent', t('silent')];
  if (data.cut) return ['cut', t('cutOff', { left: seconds(data.cutUntil - performance.now()) })];
  if (!data.connected) return ['alone', t('alone')];
  if (data.alone) return ['apart', t('apart')];
  if (data.ramping) return ['ramping', t('ramping')];
  if (data.pinned) return ['pinned', t('pinned')];
  return ['connected', t('connected')];
}

function drawState({ data, parts }) {
  const [state, text] = stateOf(data);
  if (parts.li.dataset.state !== state) parts.li.dataset.state = state;
  if (parts.state.textContent !== text) parts.state.textContent = text;
}

/** drawMarks adds the answers that are new. The newest comes first, and is shown at the right end. */
function drawMarks(lane, room, quiet) {
  const { data, parts } = lane;
  const restarted = data.marked < lane.drawn;
  if (restarted) parts.marks.replaceChildren();
  const fresh = restarted ? data.marked : data.marked - lane.drawn;
  const add = data.marks.slice(Math.max(0, data.marks.length - Math.min(fresh, room)));
  for (const kind of add) {
    const m = mark(kind);
    if (!quiet && lane.drawn > 0) m.classList.add('new');
    parts.marks.prepend(m);
  }
  while (parts.marks.children.length > room) parts.marks.lastChild.remove();
  lane.drawn = data.marked;
  if (add.length || quiet) parts.marks.setAttribute('aria-label', describe(data.marks.slice(-room)));
}

/** describe says a row of marks in words. */
function describe(marks) {
  if (!marks) return t('noAnswers');
  const counts = [...'pfrte'].map((kind) => [kind, marks.split(kind).length - 1]).filter(([, n]) => n > 0);
  return t('answers', { list: counts.map(([kind, n]) => `${n} ${t(`legend${kind.toUpperCase()}`)}`).join(t('comma')) });
}
