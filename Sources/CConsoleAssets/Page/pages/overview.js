// The overview: what the server is, what it does now, and what needs attention.
import { get, session } from '../api.js';
import { sameElsewhere } from '../parts/same.js';
import { bytes, count, h, load, moment, svg } from '../view.js';
import { texts } from '../texts.js';

const TURN_MILLISECONDS = 2000;
/** The number of turns that a line shows. */
const TURNS_MAX = 60;
/** The part of the disk below which its free space is a warning. */
const DISK_PART_MIN = 0.05;
const t = texts.overview;

export async function show(host, route, signal) {
  const cards = h('div', { class: 'cards', id: 'cards' }), warnings = h('div'), tasks = h('div', { class: 'tasks' });
  host.replaceChildren(h('h1', null, t.title), warnings, cards, h('h2', null, t.tasks), tasks,
    sameElsewhere([{ address: '/_up' }, { address: '/_node/_local/_stats' }, { address: '/_node/_local/_system' }, { address: '/_active_tasks' }]));
  const turns = [];
  const read = async () => {
    const [statistics, system, active] = await Promise.all([
      get('/_node/_local/_stats', { signal }), get('/_node/_local/_system', { signal }), get('/_active_tasks', { signal })]);
    return { statistics, system, active };
  };
  const draw = state => {
    turns.push({ time: performance.now(), requests: requestsOf(state.statistics), processor: state.system.cpu_seconds });
    if (turns.length > TURNS_MAX) turns.shift();
    tasks.replaceChildren(state.active.length ? h('ul', { class: 'plain-list' }, state.active.map(task => h('li', null, words(task)))) : h('p', { class: 'note' }, t.noTasks));
    showWarnings(warnings, state);
    return figures(state, turns);
  };
  await load(cards, read, draw, signal);
  follow(read, draw, cards, warnings, signal);
}

/** Draws the state again every few seconds, until the page is left. */
async function follow(read, draw, cards, warnings, signal) {
  while (!signal.aborted) {
    await new Promise(resolve => { setTimeout(resolve, TURN_MILLISECONDS); });
    if (signal.aborted || document.hidden) continue;
    try {
      const state = await read();
      if (!signal.aborted) cards.replaceChildren(...draw(state));
    } catch (error) {
      if (error.name === 'AbortError' || error.status === 401) return;
      delete warnings.dataset.shown;
      warnings.replaceChildren(h('p', { class: 'warning', role: 'status' }, error.message));
    }
  }
}

function valueOf(statistics, ...names) {
  const entry = names.reduce((object, name) => object?.[name], statistics);
  return entry?.value;
}

function requestsOf(statistics) { return valueOf(statistics, 'couchdb', 'httpd', 'requests') || 0; }

function figures(state, turns) {
  const { statistics, system } = state;
  const times = valueOf(statistics, 'couchdb', 'request_time');
  const percentile = part => times?.percentile?.find(([number]) => number === part)?.[1];
  const last = turns[turns.length - 1], before = turns[Math.max(0, turns.length - 6)];
  const perSecond = name => last === before ? null : (last[name] - before[name]) / (last.time - before.time) * 1000;
  const rate = perSecond('requests'), processor = perSecond('processor');
  return [
    card(t.version, session.version, t.uptime(system.uptime)),
    card(t.requests, rate === null ? '…' : rate.toFixed(rate < 10 ? 1 : 0), t.total(count(last.requests)), line(turns)),
    card(t.time, percentile(50) === undefined ? '…' : `${percentile(50).toFixed(1)} ms`, percentile(99) !== undefined && t.slow(percentile(99).toFixed(1))),
    card(t.memory, bytes(system.memory.resident), t.peak(bytes(system.memory.peak))),
    card(t.open, count(valueOf(statistics, 'godwit', 'open_requests')), t.openNote),
    system.disk && card(t.disk, bytes(system.disk.free), t.diskOf(bytes(system.disk.total))),
    card(t.processor, processor === null ? '…' : `${Math.round(processor * 100)} %`, t.ofOne),
  ].filter(Boolean);
}

function card(title, value, note, picture) {
  return h('section', { class: 'card' }, h('h2', null, title), h('p', { class: 'figure' }, value), note && h('p', { class: 'note' }, note), picture);
}

/** The requests of the last turns as a line. */
function line(turns) {
  if (turns.length < 3) return null;
  const rates = turns.slice(1).map((turn, i) => (turn.requests - turns[i].requests) / (turn.time - turns[i].time));
  const most = Math.max(...rates, 0.001);
  const points = rates.map((rate, i) => `${(i / Math.max(1, rates.length - 1) * 100).toFixed(1)},${(28 - rate / most * 26).toFixed(1)}`);
  return svg('svg', { viewBox: '0 0 100 30', preserveAspectRatio: 'none', class: 'spark', 'aria-hidden': 'true' },
    svg('polyline', { points: points.join(' ') }));
}

function words(task) {
  const name = task.database || task.target || task.doc_id || '';
  const progress = typeof task.progress === 'number' ? ` ${task.progress} %` : '';
  return `${task.type}${name && `: ${name}`}${progress}${task.started_on ? `, ${t.since(moment(task.started_on))}` : ''}`;
}

/** Warnings are drawn again only if they changed, so that a reader of the screen hears each once. */
function showWarnings(host, state) {
  const texts = warningsOf(state);
  if (host.dataset.shown === texts.join('\n')) return;
  host.dataset.shown = texts.join('\n');
  host.replaceChildren(...texts.map(text => h('p', { class: 'warning', role: 'status' }, text)));
}

function warningsOf({ statistics, system }) {
  const isThisMachine = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  const damages = valueOf(statistics, 'godwit', 'damage_found');
  return [
    location.protocol === 'http:' && !isThisMachine && t.noTLS,
    damages > 0 && t.damage(count(damages)),
    system.disk && system.disk.free < system.disk.total * DISK_PART_MIN && t.diskFull(bytes(system.disk.free)),
  ].filter(Boolean);
}
