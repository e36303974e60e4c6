// The overview: what the server is, what it does now, and what needs attention.
import { ask, get, session } from '../api.js';
import { backupState, conflictsWarning, databaseCards, readDatabases, replicationsWarning } from '../parts/overview-databases.js';
import { historyPart, optional, replicatedRate, slowPart } from '../parts/overview-history.js';
import { isUnused, readApplications, startPart } from '../parts/overview-start.js';
import { sameElsewhere } from '../parts/same.js';
import { actionButton, bytes, count, h, load, moment, svg, toast } from '../view.js';
import { texts } from '../texts.js';

const TURN_MILLISECONDS = 2000;
/** How often the history and the databases are read. */
const SLOW_TURN_MILLISECONDS = 60_000;
/** The number of turns that a line shows. */
const TURNS_MAX = 60;
/** The part of the disk below which its free space is a warning. */
const DISK_PART_MIN = 0.05;
const t = texts.overview;

export async function show(host, route, signal) {
  const cards = h('div', { class: 'cards', id: 'cards' }), warnings = h('div', { class: 'warnings' }), tasks = h('div', { class: 'tasks' });
  const more = morePart(signal);
  host.replaceChildren(h('h1', null, t.title), more.start, warnings, more.warnings, cards, more.cards, more.element, h('h2', null, t.tasks), tasks,
    sameElsewhere(() => [...['/_up', '/_node/_local/_stats', '/_node/_local/_system', '/_active_tasks', '/_dbs_info', '/_scheduler/jobs'], ...more.addresses()].map(address => ({ address }))));
  const turns = [];
  const read = async () => {
    const [statistics, system, active] = await Promise.all([
      get('/_node/_local/_stats', { signal }), get('/_node/_local/_system', { signal }), get('/_active_tasks', { signal })]);
    return { statistics, system, active };
  };
  const draw = state => {
    turns.push({ time: performance.now(), requests: requestsOf(state.statistics), writes: valueOf(state.statistics, 'couchdb', 'document_writes'), processor: state.system.cpu_seconds });
    if (turns.length > TURNS_MAX) turns.shift();
    tasks.replaceChildren(state.active.length ? h('ul', { class: 'plain-list' }, state.active.map(task => h('li', null, words(task)))) : h('p', { class: 'note' }, t.noTasks));
    showWarnings(warnings, state);
    return figures(state, turns);
  };
  await load(cards, read, draw, signal);
  follow(read, draw, cards, warnings, signal);
  more.follow();
}

// ---- Databases, history, slow requests and backups: they are read once in a minute

function morePart(signal) {
  const start = h('div');
  const warnings = h('div', { class: 'warnings', role: 'status' }), backups = h('div'), conflicts = h('div'), held = h('div'), failing = h('div');
  warnings.append(held, failing, conflicts, backups);
  const cards = h('div', { class: 'cards' }), slow = h('section', { class: 'stack', hidden: true }), history = historyPart(), refusal = h('p', { class: 'note', hidden: true });
  const known = { history: null, slow: null, backups: null };
  async function turn() {
    const [databases, past, late, kept, work] = await Promise.all([
      readDatabases(signal), optional('/_godwit/history', signal), optional('/_godwit/slow', signal), optional('/_godwit/backups', signal),
      optional('/_godwit/work', signal)]);
    const applications = await readApplications(signal), isEmpty = isUnused(databases, applications);
    showAgain(start, [await startPart(databases, applications, turn, signal)]);
    Object.assign(known, { history: past, slow: late, backups: kept });
    showCards(cards, isEmpty ? [] : databaseCards(databases, replicatedRate(past), card));
    showAgain(held, heldWarnings(work, turn));
    showAgain(failing, [replicationsWarning(databases.failing)]);
    showAgain(conflicts, [conflictsWarning(databases.infos)]);
    // On a server that is not used yet, parts without content are left out.
    history.update(isEmpty && !past?.requests?.length ? null : past);
    showSlow(slow, isEmpty && !late?.requests?.length ? null : late);
    showAgain(backups, [isEmpty ? null : backupWords(kept)]);
    refusal.hidden = true;
  }
  return {
    start, warnings, cards, element: h('div', { class: 'stack' }, refusal, history.element, slow),
    addresses: () => Object.keys(known).filter(name => known[name]).map(name => `/_godwit/${name}`),
    async follow() {
      for (;;) {
        try {
          if (!document.hidden) await turn();
        } catch (error) {
          if (error.name === 'AbortError' || error.status === 401) return;
          refusal.hidden = false;
          refusal.textContent = error.message;
        }
        await new Promise(resolve => { setTimeout(resolve, SLOW_TURN_MILLISECONDS); });
        if (signal.aborted) return;
      }
    },
  };
}

/** Warnings about a safe start and about held work, which the administrator can start again. */
function heldWarnings(answer, again) {
  if (!answer) return [];
  return [
    answer.safe && h('p', { class: 'warning' }, t.safe),
    ...answer.held.map(work => h('p', { class: 'warning' }, t.held(work.work, work.ends), ' ', actionButton(t.startHeld, async () => {
      await ask('POST', '/_godwit/work', { start: work.id });
      toast(t.heldStarted);
      await again();
    }))),
  ];
}

/** Draws the cards again; the link that had the focus has it afterwards. */
function showCards(host, cards) {
  const address = host.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  host.replaceChildren(...cards);
  if (address) host.querySelector(`a[href="${address}"]`)?.focus();
}

/** Draws what may be read aloud again only if it changed. */
function showAgain(host, elements) {
  const shown = elements.filter(Boolean), content = shown.map(element => element.outerHTML).join('');
  if (host.dataset.shown === content) return;
  host.dataset.shown = content;
  host.replaceChildren(...shown);
}

/** The table is drawn again only if it changed, so that its place of reading stays. */
function showSlow(host, answer) {
  const shown = JSON.stringify(answer);
  if (host.dataset.shown === shown) return;
  host.dataset.shown = shown;
  host.hidden = !answer;
  host.replaceChildren(...(slowPart(answer) || []));
}

function backupWords(answer) {
  const state = backupState(answer);
  return state && h('p', { class: state.isNote ? 'note' : 'warning' }, state.words, ' ', h('a', { href: '#/backups' }, t.toBackups));
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
  const rate = perSecond('requests'), processor = perSecond('processor'), writes = perSecond('writes');
  const aSecond = value => value === null ? '…' : value.toFixed(value < 10 && value % 1 ? 1 : 0);
  return [
    card(t.version, session.version, t.uptime(system.uptime)),
    card(t.requests, aSecond(rate), t.total(count(last.requests)), line(turns)),
    card(t.time, percentile(50) === undefined ? '…' : `${percentile(50).toFixed(1)} ms`, percentile(99) !== undefined && t.slow(percentile(99).toFixed(1))),
    last.writes !== undefined && card(t.writes, aSecond(writes), t.total(count(last.writes))),
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
