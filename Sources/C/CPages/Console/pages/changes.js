// The changes of one database, or of all, as they happen: the newest first.
import { get, isAdministrator, path, swiftDatabase, withQuery } from '../api.js';
import { followDatabase, followServer } from '../parts/changes-feed.js';
import { databaseForm } from '../parts/database-field.js';
import { lastDatabase, noteDatabase } from '../parts/database-last.js';
import { isObject, jsonField, JSONMistake } from '../parts/json-text.js';
import { sameElsewhere } from '../parts/same.js';
import { ROWS_MAX } from '../parts/table.js';
import { button, count, emptyState, errorState, field, h, loadingState } from '../view.js';
import { texts } from '../texts.js';

const t = texts.changes;

export async function show(host, route, signal) {
  const isServer = !route.query.get('db') && route.query.has('all') && isAdministrator();
  const database = isServer ? '' : route.query.has('db') ? route.query.get('db') : await known(lastDatabase(), signal);
  const content = h('div', { class: 'query' });
  host.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, database ? t.titleOf(database) : isServer ? t.titleOfAll : t.title)),
    databaseForm(database, name => { location.hash = `#/changes?${new URLSearchParams({ db: name })}`; }, signal,
      isAdministrator() && !isServer && button(t.all, () => { location.hash = '#/changes?all=1'; })),
    content);
  if (!database && !isServer) return content.replaceChildren(emptyState(t.choose));
  if (database) noteDatabase(database);
  feed(content, database, signal);
}

/** The name if the database still exists. */
async function known(name, signal) {
  if (!name) return '';
  try {
    await get(path(name), { signal });
    return name;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return '';
  }
}

function feed(host, database, signal) {
  const state = h('p', { class: 'note', role: 'status' }), body = h('tbody'), place = h('div', null, loadingState());
  const search = h('input', { type: 'search', 'data-search': true, autocomplete: 'off', spellcheck: 'false' });
  const selector = database ? jsonField(t.selector, '', { rows: 2, note: t.selectorNote, accepts: value => isObject(value) ? null : t.notObject }) : null;
  const pause = button(t.pause, () => context.run ? stop(context) : start(context));
  const context = { database, signal, state, body, place, search, selector, pause, table: table(database, body), run: null, hidden: 0 };
  search.addEventListener('input', () => applySearch(context));
  signal.addEventListener('abort', () => context.run?.abort());
  host.replaceChildren(
    h('form', { class: 'form', onsubmit: event => { event.preventDefault(); start(context); } },
      h('div', { class: 'form-grid' }, field(database ? t.search : t.searchAll, search), selector?.element),
      h('div', { class: 'buttons' }, pause, selector && h('button', null, t.apply), state)),
    place, elsewhere(context));
  start(context);
}

function table(database, body) {
  const titles = database ? [t.id, t.revisions, t.sequence, t.time] : [t.databaseName, t.kind, t.sequence, t.time];
  return h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t.title },
    h('table', { class: 'data-table' }, h('caption', { class: 'hidden' }, t.title),
      h('thead', null, h('tr', null, titles.map(title => h('th', { scope: 'col' }, title)))), body));
}

// ---- Begin, pause and continue

function stop(context) {
  context.run?.abort();
  context.run = null;
  context.pause.textContent = t.continue;
  context.state.textContent = t.paused;
}

async function start(context) {
  let selector;
  try { selector = context.selector?.read(); } catch (error) { if (error instanceof JSONMistake) return; throw error; }
  context.run?.abort();
  const run = context.run = new AbortController();
  context.pause.textContent = t.pause;
  context.state.textContent = t.connecting;
  context.body.replaceChildren();
  context.place.replaceChildren(loadingState());
  const events = {
    begin: rows => { context.body.replaceChildren(); add(context, rows); draw(context); },
    add: rows => { add(context, rows); draw(context); },
    state: words => { if (!run.signal.aborted && context.state.textContent !== words) context.state.textContent = words; },
  };
  try {
    await (context.database ? followDatabase(context.database, selector, events, run.signal) : followServer(events, run.signal));
  } catch (error) {
    if (error.name === 'AbortError' || run.signal.aborted || context.signal.aborted) return;
    stop(context);
    context.place.replaceChildren(errorState(error, () => start(context)));
  }
}

/** Adds rows in the order of time: the last one becomes the first of the table. */
function add(context, rows) {
  const { body, database } = context, text = context.search.value.trim();
  const known = new Set([...body.children].slice(0, rows.length + 1).map(row => row.dataset.sequence));
  for (const change of rows.slice(-ROWS_MAX)) {
    if (known.has(String(change.seq))) continue;
    const name = database ? change.id : change.db_name;
    if (text && !name.includes(text)) continue;
    body.prepend(database ? documentRow(database, change) : databaseRow(change));
  }
  while (body.children.length > ROWS_MAX) body.lastElementChild.remove();
}

function draw(context) {
  const isEmpty = ![...context.body.children].some(row => !row.hidden);
  const content = isEmpty ? emptyState(context.body.children.length || context.search.value ? t.noneFound : t.none) : context.table;
  if (context.place.firstElementChild !== content) context.place.replaceChildren(content);
}

function applySearch(context) {
  const text = context.search.value.trim();
  for (const row of context.body.children) row.hidden = Boolean(text) && !row.dataset.name.includes(text);
  if (context.run) draw(context);
}

// ---- Rows

const clock = change => change.arrived ? new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(change.arrived) : '';
const short = sequence => String(sequence).split('-')[0];

function documentRow(database, change) {
  const revisions = change.changes.map(item => item.rev);
  return h('tr', { 'data-name': change.id, 'data-sequence': String(change.seq) },
    h('th', { scope: 'row' }, h('a', { class: 'mono', href: `#/document/${encodeURIComponent(database)}/${encodeURIComponent(change.id)}` }, change.id),
      change.deleted && [' ', h('span', { class: 'tag tag-red' }, t.deleted)]),
    h('td', { class: 'mono' }, revisions.slice(0, 3).join(', '), revisions.length > 3 && ` ${t.more(count(revisions.length - 3))}`),
    h('td', { class: 'mono' }, short(change.seq)), h('td', null, clock(change)));
}

function databaseRow(change) {
  const name = change.type === 'deleted' ? change.db_name : h('a', { href: `#/database/${encodeURIComponent(change.db_name)}` }, change.db_name);
  return h('tr', { 'data-name': change.db_name, 'data-sequence': String(change.seq) },
    h('th', { scope: 'row' }, name), h('td', null, t.kinds[change.type] || change.type), h('td', { class: 'mono' }, short(change.seq)), h('td', null, clock(change)));
}

function elsewhere({ database, selector }) {
  if (!database) return sameElsewhere([{ address: '/_db_updates?feed=continuous&since=now' }]);
  return sameElsewhere(() => {
    let value;
    try { value = selector.read({ isFocused: false }); } catch { /* without a selector that is not valid */ }
    return [value
      ? { method: 'POST', address: withQuery(path(database, '_changes'), { feed: 'continuous', since: 'now', filter: '_selector' }), body: { selector: value } }
      : { address: withQuery(path(database, '_changes'), { feed: 'continuous', since: 'now' }) }];
  }, () => `${swiftDatabase(database)}\nfor try await change in database.changes() { print(change.id) }`);
}
