// Queries of a view: its rows, page by page.
import { documentPath, path, swiftDatabase, withQuery } from '../api.js';
import { count, emptyState, errorState, field, h, loadingState } from '../view.js';
import { texts } from '../texts.js';
import { jsonField, JSONMistake } from './json-text.js';
import { askTimed } from './bounded-read.js';
import { compact, member, valueOf } from './json.js';
import { askNodes, itemsOf } from './query-nodes.js';
import { cell, documentLink, jsonPart, numberInput, runForm, runs } from './query-results.js';
import { sameElsewhere } from './same.js';
import { swiftText } from './swift-literal.js';
import { pagedTable } from './table.js';

/** The number of design documents that are read; fewer if they are large. */
const DESIGNS_MAX = [100, 20, 4];
const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 50;
const GROUP_LEVEL_MAX = 32;
const t = texts.queries;

/** Chooses the option of a view or an index, if there is one. */
export function choose(select, name) {
  const option = [...select.options].find(item => item.textContent === name);
  if (option) select.value = option.value;
}

/** The design documents of a database, the first ones. */
export async function designs(database, signal) {
  for (const limit of DESIGNS_MAX) {
    try {
      const address = withQuery(path(database, '_design_docs'), { include_docs: true, limit });
      const { answer } = await askTimed('GET', address, undefined, { signal });
      return { documents: answer.rows.map(row => row.doc).filter(Boolean), isPart: answer.rows.length === limit };
    } catch (error) {
      if (error.code !== 'too_large') throw error;
    }
  }
  return { documents: [], isPart: true };
}

export async function make(database, signal, index) {
  const { documents, isPart } = await designs(database, signal);
  // Views of the language `query` are indexes of selectors.
  const views = documents.filter(design => design.language !== 'query').flatMap(design =>
    Object.entries(design.views || {}).filter(([name]) => name !== 'lib').map(([name, view]) => ({ id: design._id, name, hasReduce: Boolean(view.reduce) })));
  if (!views.length) return emptyState(t.noViews);
  const output = h('div', { class: 'query-output' });
  const parts = controls(views);
  choose(parts.view, index);
  parts.begin();
  const context = { database, signal, parts, output, runs: runs(signal), views };
  // A link to a view shows its rows.
  if (index && parts.view.selectedOptions[0].textContent === index) run(context);
  return [runForm({ 'aria-label': t.kinds.view }, () => run(context),
    field(t.view, parts.view, isPart && t.partial),
    h('div', { class: 'form-grid' }, parts.key.element, parts.start.element, parts.end.element),
    h('div', { class: 'form-grid' }, field(t.limit, parts.limit, t.limitNote), field(t.skip, parts.skip), field(t.groupLevel, parts.level)),
    h('div', { class: 'checks' }, ['reduce', 'group', 'descending', 'documents'].map(name =>
      h('label', { class: 'check' }, parts[name], { reduce: t.reduce, group: t.group, descending: t.descending, documents: t.includeDocuments }[name]))),
    h('div', { class: 'buttons' }, h('button', { class: 'primary', title: t.runKeys }, t.run), h('span', { class: 'note' }, t.runKeys))),
  output];
}

function controls(views) {
  const check = () => h('input', { type: 'checkbox' });
  const parts = {
    view: h('select', null, views.map((view, i) => h('option', { value: i }, `${view.id.slice('_design/'.length)}/${view.name}`))),
    key: jsonField(t.key, '', { rows: 1 }), start: jsonField(t.startKey, '', { rows: 1 }), end: jsonField(t.endKey, '', { rows: 1 }),
    limit: numberInput(LIMIT_DEFAULT, 1, LIMIT_MAX), skip: numberInput('', 0), level: numberInput('', 1, GROUP_LEVEL_MAX),
    reduce: check(), group: check(), descending: check(), documents: check(),
  };
  const update = () => {
    const { hasReduce } = views[parts.view.value];
    parts.reduce.disabled = !hasReduce;
    parts.group.disabled = parts.level.disabled = !parts.reduce.checked;
    parts.documents.disabled = parts.reduce.checked;
  };
  /** A view with a reduce function begins with the result for each key. */
  parts.begin = () => {
    parts.reduce.checked = parts.group.checked = views[parts.view.value].hasReduce;
    update();
  };
  parts.view.addEventListener('change', parts.begin);
  parts.reduce.addEventListener('change', update);
  return parts;
}

function parameters({ parts, views }) {
  const isReduced = parts.reduce.checked;
  const number = input => input.disabled || input.value === '' ? undefined : Math.max(0, Math.round(Number(input.value)));
  // The JSON of the user's values, with the digits of numbers.
  const key = part => {
    const node = part.node();
    return node && compact(node);
  };
  return {
    key: key(parts.key), startkey: key(parts.start), endkey: key(parts.end),
    reduce: views[parts.view.value].hasReduce ? isReduced : undefined,
    group: isReduced && parts.group.checked && number(parts.level) === undefined ? true : undefined,
    group_level: isReduced ? number(parts.level) : undefined,
    descending: parts.descending.checked || undefined, include_docs: !isReduced && parts.documents.checked || undefined,
    skip: number(parts.skip) || undefined, limit: Math.min(Math.max(number(parts.limit) || LIMIT_DEFAULT, 1), LIMIT_MAX),
  };
}

/** The parameters of a page: rows of documents continue at a key, groups after a number of groups. */
function pageParameters(query, cursor) {
  const limit = query.limit + 1;
  if (cursor === null) return { ...query, limit };
  if (cursor.after !== undefined) return { ...query, limit, skip: (query.skip || 0) + cursor.after };
  const start = { startkey: cursor.key, startkey_docid: cursor.id, skip: cursor.same || undefined, limit };
  return query.key === undefined ? { ...query, ...start } : { ...query, key: undefined, ...start, endkey: query.key };
}

/** The cursor after a page; `next` is the row that follows it. */
function cursorAfter(rows, next, isReduced, before) {
  if (!next) return null;
  if (isReduced) return { after: (before?.after || 0) + rows.length };
  // A document may have several rows with one key.
  const cursor = { key: compact(member(next, 'key')), id: idOf(next) };
  const isSame = row => idOf(row) === cursor.id && compact(member(row, 'key')) === cursor.key;
  let same = 0;
  while (same < rows.length && isSame(rows[rows.length - 1 - same])) same += 1;
  if (same === rows.length && before?.id === cursor.id) same += before.same;
  return { ...cursor, same };
}

const idOf = row => valueOf(member(row, 'id'));

async function run(context) {
  let query;
  try { query = parameters(context); } catch (error) { if (error instanceof JSONMistake) return; throw error; }
  const { database, output, parts, views } = context, signal = context.runs.next();
  const view = views[parts.view.value], isReduced = Boolean(query.reduce);
  const base = documentPath(database, view.id, '_view', view.name);
  const summary = h('div', { role: 'status', class: 'query-summary' }), json = jsonPart();
  const read = async cursor => {
    const { answer, milliseconds } = await askNodes('GET', withQuery(base, pageParameters(query, cursor)), undefined, { signal });
    const rows = itemsOf(answer, 'rows'), total = valueOf(member(answer, 'total_rows'));
    const next = rows.length > query.limit ? rows.pop() : null;
    json.set(answer);
    summary.replaceChildren(h('p', { class: 'note' }, t.summary(count(rows.length), count(milliseconds)),
      total !== undefined && ` ${t.ofTotal(count(total))}`));
    return { rows, next: cursorAfter(rows, next, isReduced, cursor) };
  };
  output.replaceChildren(loadingState());
  try {
    const table = await pagedTable(columns(database, query), read, { caption: t.results, empty: t.noResults });
    if (!signal.aborted) output.replaceChildren(summary, table, json.element, sameElsewhere([{ address: withQuery(base, query) }], () => swift(database, view, query)));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) output.replaceChildren(errorState(error));
  }
}

/** The query in Swift. Its keys are JSON, with the digits of numbers. */
function swift(database, view, query) {
  const json = value => `try JSONValue(parsing: ${swiftText(value)})`;
  const settings = [
    query.key !== undefined && `query.key = ${json(query.key)}`, query.startkey !== undefined && `query.startKey = ${json(query.startkey)}`,
    query.endkey !== undefined && `query.endKey = ${json(query.endkey)}`, query.descending && 'query.descending = true', `query.limit = ${query.limit}`,
    query.skip && `query.skip = ${query.skip}`, query.reduce !== undefined && `query.reduce = ${query.reduce}`, query.group && 'query.grouping = .exact',
    query.group_level !== undefined && `query.grouping = .level(${query.group_level})`, query.include_docs && 'query.includesDocuments = true',
  ].filter(Boolean);
  const name = `${view.id.slice('_design/'.length)}/${view.name}`;
  return [swiftDatabase(database), 'var query = ViewQuery()', ...settings, `for try await row in database.rows(of: ${swiftText(name)}, query) { print(row.key, row.value) }`].join('\n');
}

function columns(database, query) {
  return [
    { title: t.keyColumn, cell: row => h('span', { class: 'mono' }, cell(member(row, 'key'))) },
    { title: t.value, cell: row => h('span', { class: 'mono' }, cell(member(row, 'value'))) },
    !query.reduce && { title: t.id, cell: row => documentLink(database, idOf(row)) },
    query.include_docs && { title: t.document, cell: row => h('span', { class: 'mono' }, cell(member(row, 'doc'))) },
  ].filter(Boolean);
}
