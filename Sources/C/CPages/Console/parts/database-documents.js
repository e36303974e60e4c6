// The documents of a database as a table, as JSON or on a map: by key, or those that a selector finds; rows can be selected and deleted.
import { swiftDatabase } from '../api.js';
import { actionButton, button, emptyState, h, load, moreButtons, toast } from '../view.js';
import { texts } from '../texts.js';
import { cellOf, columnPart, columnsOf, fieldNames } from './database-columns.js';
import { filterPart } from './database-filter.js';
import { documentLink } from './database-lists.js';
import { placesOnMap } from './database-map.js';
import { PAGE, pageRequest, readPage, selectorOf, selectorValue } from './database-pages.js';
import { foundActions, selection } from './database-selection.js';
import { ID, isWithoutIndex, needsIndex, sortable, sortOf, sortText } from './database-sort.js';
import { compact, format } from './json.js';
import { warningPart } from './query-index.js';
import { memberAt } from './query-nodes.js';
import { sameElsewhere } from './same.js';
import { swiftLiteral, swiftText } from './swift-literal.js';
import { pagedTable } from './table.js';

const TYPING_MILLISECONDS = 250;
/** How much of a document is shown in a row of JSON, and after the row was opened. */
const LINE_CHARACTERS = 300, JSON_CHARACTERS = 20_000;
/** How documents are shown; the first one is not part of the address. */
const ROWS = ['table', 'json', 'map'];
const t = texts.database;

export function documentsTab(host, page) {
  const { route, signal } = page;
  const state = {
    prefix: route.query.get('prefix') || '', selector: route.query.get('selector') || '', columns: null, sort: sortOf(route.query.get('sort')), refused: null,
    rows: ROWS.find(kind => kind === route.query.get('rows')) || ROWS[0], known: new Set(),
  };
  const list = h('div'), selected = selection(page, () => begin());
  const begin = () => load(list, () => firstPage(page, state), first => view(page, state, first, selected, begin), signal);
  const change = () => {
    remember(page, state);
    selected.clear();
    // The rows of the old search cannot be selected any more.
    list.replaceChildren();
    state.columns = null;
    begin();
  };
  const filter = filterPart(state, change);
  host.replaceChildren(h('div', { class: 'form' }, searchPart(page, state, change), filter.element, selected.element, list));
  state.offerNames = filter.offerNames;
  return begin();
}

/** Puts what is shown into the address, so that it can be opened again. */
function remember({ address }, state) {
  history.replaceState(null, '', address({ prefix: state.prefix || undefined, selector: state.selector || undefined, rows: state.rows === ROWS[0] ? undefined : state.rows, sort: sortText(state) }));
}

// ---- Controls

function searchPart(page, state, change) {
  let timer = 0;
  const input = h('input', {
    type: 'search', 'data-search': true, placeholder: t.search, 'aria-label': t.search, autocomplete: 'off', spellcheck: 'false', value: state.prefix,
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => { state.prefix = input.value; if (!page.signal.aborted) change(); }, TYPING_MILLISECONDS);
    },
    onkeydown: event => {
      if (event.key === 'Enter' && input.value) location.hash = `#/document/${encodeURIComponent(page.database)}/${encodeURIComponent(input.value)}`;
    },
  });
  return h('div', null, input);
}

// ---- Reading

/** The first page. Without an index for the order of the address, the list is in the order of ids, and a notice says why. */
async function firstPage(page, state) {
  let first;
  try {
    first = await readPage(page.database, state, null, page.signal);
  } catch (error) {
    if (!isWithoutIndex(error) || !state.sort) throw error;
    state.refused = state.sort;
    state.sort = null;
    first = await readPage(page.database, state, null, page.signal);
  }
  if (!first.rows.length) return { ...first, element: emptyState(state.prefix || state.selector ? t.noneFound : t.none) };
  return first;
}

// ---- The list

async function view(page, state, first, selected, again) {
  fieldNames(first.rows).forEach(name => state.known.add(name));
  state.offerNames([...state.known]);
  const elsewhere = sameElsewhere(() => [pageRequest(page.database, state, null, false)], () => swift(page, state));
  const warning = first.warning && warningPart(first.warning, { database: page.database, mayIndex: page.mayAdmin, signal: page.signal }, { selector: selectorOf(state) }, again);
  if (first.element) return [warning, first.element, elsewhere];
  state.columns ||= columnsOf(first.rows);
  const rows = h('div'), notice = h('div', { class: 'order-notice' }), selectShown = button(t.selectShown, () => selected.selectAll());
  let kept = first;
  const draw = async () => {
    remember(page, state);
    selectShown.hidden = state.rows === 'map';
    const readNext = async cursor => {
      const found = cursor === null && kept ? kept : await readPage(page.database, state, cursor, page.signal);
      kept = null;
      if (state.rows !== 'map') selected.seen(found.rows);
      return found;
    };
    rows.replaceChildren(state.rows === 'map' ? await placesOnMap(page, { prefix: state.prefix, selector: state.selector }, state.columns, readNext)
      : await pagedTable(tableColumns(page, state, selected, sortBy), readNext, { caption: t.tabs.documents, empty: t.noneFound, isDense: true }));
  };
  const drawAgain = () => {
    selected.clear();
    load(rows, draw, () => [...rows.children], page.signal);
  };
  const noteOrder = () => notice.replaceChildren(...(state.sort && state.sort.name !== ID ? [h('p', { class: 'note', role: 'status' }, t.sorted(state.sort.name))] : []));
  const offerIndex = sort => notice.replaceChildren(needsIndex(page, sort, () => sortBy(sort)));
  /** Reads the documents in another order. The list stays if the order needs an index. */
  async function sortBy(sort) {
    try {
      kept = await readPage(page.database, { ...state, sort }, null, page.signal);
    } catch (error) {
      if (isWithoutIndex(error)) offerIndex(sort);
      else if (error.name !== 'AbortError') toast(error.message, 'error');
      return;
    }
    state.sort = sort.name === ID && !sort.isDescending ? null : sort;
    selected.clear();
    noteOrder();
    await draw();
    rows.querySelector('[aria-sort] button')?.focus();
  }
  await draw();
  if (state.refused) offerIndex(state.refused);
  else noteOrder();
  state.refused = null;
  return [
    h('div', { class: 'list-controls' }, kindSwitch(state, drawAgain),
      moreButtons([columnPart([...state.known], state.columns, list => { state.columns = list; drawAgain(); }), selectShown, actionButton(t.reload, again), foundActions(page, state, again)], page.signal)),
    warning, notice, rows, elsewhere,
  ];
}

/** The choice between a table, JSON and a map. */
function kindSwitch(state, changed) {
  return h('fieldset', { class: 'switch' }, h('legend', { class: 'hidden' }, t.rowsAs), ROWS.map(kind =>
    h('label', null, h('input', {
      type: 'radio', name: 'rows', value: kind, checked: kind === state.rows, onchange: () => { state.rows = kind; changed(); },
    }), h('span', null, t.rowKinds[kind]))));
}

function tableColumns(page, state, selected, sortBy) {
  const id = sortable({ title: t.id, cell: row => h('div', { class: 'pick' }, selected.box(row), documentLink(page.database, row.id), row.isShort && h('span', { class: 'note' }, t.large)) }, ID, state, sortBy);
  if (state.rows === 'json') return [id, { title: t.json, cell: row => row.isShort ? '' : jsonRow(row.doc) }];
  return [id, ...state.columns.map(name => sortable({ title: name, cell: row => cellOf(memberAt(row.doc, name)) }, name, state, sortBy))];
}

/** The members that the line of a document leaves out: the id is next to it. */
const NOT_IN_LINE = ['_id', '_rev'];

/** A document as one line, which can be opened. */
function jsonRow(doc) {
  const line = compact({ ...doc, members: doc.members.filter(item => !NOT_IN_LINE.includes(item.key)) }), whole = h('pre', { class: 'row-json', dir: 'ltr' });
  return h('details', {
    class: 'row-line', ontoggle: event => { if (event.target.open) whole.textContent = cut(format(doc), JSON_CHARACTERS); },
  }, h('summary', { dir: 'ltr' }, h('code', null, cut(line, LINE_CHARACTERS))), whole);
}

const cut = (text, length) => text.length > length ? `${text.slice(0, length)}…` : text;

function swift(page, state) {
  const { selector, sort } = state, order = sort?.isDescending ? `.descending(${swiftText(sort.name)})` : sort && swiftText(sort.name);
  if (selector || sort && sort.name !== ID) return `${swiftDatabase(page.database)}\nlet page = try await database.find(FindQuery(selector: ${selector ? swiftLiteral(selectorValue(state)) : '[:]'}${order ? `, sort: [${order}]` : ''}, limit: ${PAGE}))`;
  return `${swiftDatabase(page.database)}\nlet documents = try await database.documents(limit: ${PAGE}${sort?.isDescending ? ', descending: true' : ''})`;
}
