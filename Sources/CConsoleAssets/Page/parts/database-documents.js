// The documents of a database as a table, as JSON or on a map: by key, or those that a selector finds; rows can be selected and deleted.
import { swiftDatabase } from '../api.js';
import { actionButton, button, emptyState, h, load, moreButtons } from '../view.js';
import { texts } from '../texts.js';
import { cellOf, columnPart, columnsOf, fieldNames } from './database-columns.js';
import { documentLink } from './database-lists.js';
import { placesOnMap } from './database-map.js';
import { PAGE, pageRequest, readPage, selectorValue } from './database-pages.js';
import { foundActions, selection } from './database-selection.js';
import { format, member, parse } from './json.js';
import { warningPart } from './query-index.js';
import { sameElsewhere } from './same.js';
import { swiftLiteral } from './swift-literal.js';
import { pagedTable } from './table.js';

const TYPING_MILLISECONDS = 250;
/** How much of a document is shown in a row of JSON. */
const JSON_CHARACTERS = 1500;
/** How documents are shown; the first one is not part of the address. */
const ROWS = ['table', 'json', 'map'];
const t = texts.database;

export function documentsTab(host, page) {
  const { route, signal } = page;
  const state = {
    prefix: route.query.get('prefix') || '', selector: route.query.get('selector') || '', columns: null,
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
  history.replaceState(null, '', address({ prefix: state.prefix || undefined, selector: state.selector || undefined, rows: state.rows === ROWS[0] ? undefined : state.rows }));
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

function filterPart(state, change) {
  const area = h('textarea', { rows: 3, spellcheck: 'false', 'aria-label': t.selector, placeholder: '{"field": {"$gt": 10}}', value: state.selector });
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), names = h('div', { class: 'buttons field-names' });
  const check = () => {
    try {
      if (area.value.trim() && parse(area.value).kind !== 'object') throw new Error(t.selectorObject);
      refusal.hidden = true;
      return true;
    } catch (error) {
      refusal.textContent = error.message;
      refusal.hidden = false;
      return false;
    }
  };
  const apply = text => { area.value = text; if (check()) { state.selector = text.trim(); change(); } };
  area.addEventListener('input', () => { if (!refusal.hidden) check(); });
  area.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) apply(area.value); });
  return {
    element: h('details', { class: 'same', open: Boolean(state.selector) }, h('summary', null, t.filter), h('div', { class: 'form filter' },
      h('p', { class: 'note' }, t.filterNote), area, names, refusal,
      h('div', { class: 'buttons' }, button(t.apply, () => apply(area.value), { class: 'primary' }), button(t.clear, () => apply(''))))),
    offerNames: list => names.replaceChildren(...(list.length ? [h('span', { class: 'note' }, t.fields)] : []), ...list.map(name =>
      button(name, () => insert(area, name), { class: 'mono', 'aria-label': t.insertField(name) }))),
  };
}

/** Inserts a name as JSON at the cursor; an empty field becomes a selector. */
function insert(area, name) {
  const quoted = JSON.stringify(name);
  if (!area.value.trim()) area.value = `{${quoted}: }`;
  else area.setRangeText(quoted, area.selectionStart, area.selectionEnd, 'end');
  area.focus();
  if (area.value === `{${quoted}: }`) area.setSelectionRange(quoted.length + 3, quoted.length + 3);
}

// ---- Reading

async function firstPage(page, state) {
  const first = await readPage(page.database, state, null, page.signal);
  if (!first.rows.length) return { ...first, element: emptyState(state.prefix || state.selector ? t.noneFound : t.none) };
  return first;
}

// ---- The list

async function view(page, state, first, selected, again) {
  fieldNames(first.rows).forEach(name => state.known.add(name));
  state.offerNames([...state.known]);
  const elsewhere = sameElsewhere(() => [pageRequest(page.database, state, null, false)], () => swift(page, state));
  const warning = first.warning && warningPart(first.warning, { database: page.database, mayIndex: page.mayAdmin, signal: page.signal }, { selector: parse(state.selector) }, again);
  if (first.element) return [warning, first.element, elsewhere];
  state.columns ||= columnsOf(first.rows);
  const rows = h('div'), selectShown = button(t.selectShown, () => selected.selectAll());
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
      : await pagedTable(tableColumns(page, state, selected), readNext, { caption: t.tabs.documents, empty: t.noneFound }));
  };
  const drawAgain = () => {
    selected.clear();
    load(rows, draw, () => [...rows.children], page.signal);
  };
  await draw();
  return [
    h('div', { class: 'list-controls' }, kindSwitch(state, drawAgain),
      moreButtons([columnPart([...state.known], state.columns, list => { state.columns = list; drawAgain(); }), selectShown, actionButton(t.reload, again), foundActions(page, state, again)], page.signal)),
    warning, rows, elsewhere,
  ];
}

/** The choice between a table, JSON and a map. */
function kindSwitch(state, changed) {
  return h('fieldset', { class: 'switch' }, h('legend', { class: 'hidden' }, t.rowsAs), ROWS.map(kind =>
    h('label', null, h('input', {
      type: 'radio', name: 'rows', value: kind, checked: kind === state.rows, onchange: () => { state.rows = kind; changed(); },
    }), h('span', null, t.rowKinds[kind]))));
}

function tableColumns(page, state, selected) {
  const id = { title: t.id, cell: row => h('div', { class: 'pick' }, selected.box(row), documentLink(page.database, row.id), row.isShort && h('span', { class: 'note' }, t.large)) };
  if (state.rows === 'json') return [id, { title: t.json, cell: row => row.isShort ? '' : h('pre', { class: 'row-json', dir: 'ltr' }, jsonOf(row.doc)) }];
  return [id, ...state.columns.map(name => ({ title: name, cell: row => cellOf(member(row.doc, name)) }))];
}

function jsonOf(doc) {
  const text = format(doc);
  return text.length > JSON_CHARACTERS ? `${text.slice(0, JSON_CHARACTERS)}…` : text;
}

function swift(page, state) {
  if (state.selector) return `${swiftDatabase(page.database)}\nlet page = try await database.find(FindQuery(selector: ${swiftLiteral(selectorValue(state))}, limit: ${PAGE}))`;
  return `${swiftDatabase(page.database)}\nlet documents = try await database.documents(limit: ${PAGE})`;
}
