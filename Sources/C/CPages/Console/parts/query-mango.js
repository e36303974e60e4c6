// Queries with a selector: the form, the results page by page, and the plan.
import { path, swiftDatabase } from '../api.js';
import { actionButton, button, count, errorState, field, h, loadingState } from '../view.js';
import { texts } from '../texts.js';
import { bodyOf, format, member, valueOf } from './json.js';
import { isObject, jsonField, JSONMistake } from './json-text.js';
import { askTimed } from './bounded-read.js';
import { askNodes, itemsOf, memberAt, rawValue, swiftNode, withMember } from './query-nodes.js';
import { makeIndex, warningPart } from './query-index.js';
import { planOf } from './query-plan.js';
import { cell, documentLink, jsonPart, numberInput, runForm, runs } from './query-results.js';
import { mayAdminister } from './rights.js';
import { sameElsewhere } from './same.js';
import { swiftLiteral, swiftText } from './swift-literal.js';
import { pagedTable } from './table.js';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 25;
const SAMPLE = 20;
const NAMES_MAX = 30;
const COLUMNS_MAX = 6;
const EMPTY = { kind: 'object', members: [] };
const t = texts.queries;

export async function make(database, signal) {
  const mayIndex = await mayAdminister(database, signal);
  const parts = fields();
  const output = h('div', { class: 'query-output' }), explained = h('div');
  const context = { database, signal, mayIndex, parts, output, explained, runs: runs(signal), explains: runs(signal) };
  const names = h('div');
  showNames(names, context);
  return [runForm({ 'aria-label': t.kinds.mango }, () => run(context),
    parts.selector.element, names,
    h('div', { class: 'form-grid' }, parts.fields.element, parts.sort.element, field(t.limit, parts.limit, t.limitNote)),
    h('div', { class: 'buttons' },
      h('button', { class: 'primary', title: t.runKeys }, t.run), button(t.explain, () => explain(context)),
      h('span', { class: 'note' }, t.runKeys))),
  explained, output];
}

function fields() {
  const list = words => value => Array.isArray(value) ? null : words;
  return {
    selector: jsonField(t.selector, '{\n  "_id": {"$gt": null}\n}', { rows: 6, accepts: value => isObject(value) ? null : t.notObject }),
    fields: jsonField(t.fields, '', { rows: 2, note: t.fieldsNote, accepts: list(t.notList) }),
    sort: jsonField(t.sort, '', { rows: 2, note: t.sortNote, accepts: list(t.notList) }),
    limit: numberInput(LIMIT_DEFAULT, 1, LIMIT_MAX),
  };
}

/** The request's body, without what is empty. The selector is a node. */
function request({ parts }) {
  const body = { selector: parts.selector.node() ?? EMPTY };
  const names = parts.fields.read(), sort = parts.sort.read();
  if (names?.length) body.fields = names;
  if (sort?.length) body.sort = sort;
  body.limit = Math.min(Math.max(Math.round(Number(parts.limit.value)) || LIMIT_DEFAULT, 1), LIMIT_MAX);
  return body;
}

// ---- Names of fields

async function showNames(host, context) {
  const { parts, signal } = context;
  let target = parts.selector;
  for (const part of [parts.selector, parts.fields, parts.sort]) part.area.addEventListener('focus', () => { target = part; });
  let names = [];
  try {
    const { answer } = await askTimed('POST', path(context.database, '_find'), { selector: {}, limit: SAMPLE }, { signal });
    names = [...new Set(answer.docs.flatMap(namesOf))].slice(0, NAMES_MAX);
  } catch { /* the query works without the names */ }
  if (!names.length || signal.aborted) return;
  host.replaceChildren(h('div', { class: 'name-buttons', role: 'group', 'aria-label': t.names },
    h('span', { class: 'note' }, t.names), names.map(name => button(name, () => addName(target, name, parts), { class: 'mono' }))));
}

/** The names of a document's members, and those of objects in it. A dot in a name is escaped. */
function namesOf(document) {
  const own = name => name.replaceAll('.', '\\.');
  return Object.entries(document).filter(([name]) => name !== '_attachments').flatMap(([name, value]) =>
    [own(name), ...(isObject(value) && !name.startsWith('_') ? Object.keys(value).map(inner => `${own(name)}.${own(inner)}`) : [])]);
}

function addName(part, name, parts) {
  let node;
  try { node = part.node(); } catch { return; }
  if (part === parts.selector) {
    node ??= EMPTY;
    part.area.value = format(member(node, name) ? node : withMember(node, name, { $exists: true }));
  } else {
    const names = node ? valueOf(node) : [];
    part.area.value = JSON.stringify(names.includes(name) ? names : [...names, name]);
  }
  part.area.focus();
}

// ---- Results

async function run(context) {
  let body;
  try { body = request(context); } catch (error) { if (error instanceof JSONMistake) return; throw error; }
  const { database, output } = context, signal = context.runs.next();
  const summary = h('div', { role: 'status', class: 'query-summary' }), json = jsonPart();
  const read = async bookmark => {
    const sent = bodyOf({ ...body, execution_stats: true, bookmark: bookmark || undefined });
    const { answer, milliseconds } = await askNodes('POST', path(database, '_find'), sent, { signal });
    const rows = itemsOf(answer, 'docs');
    json.set(answer);
    summary.replaceChildren(...summaryOf(answer, rows, milliseconds, words => warningPart(words, { ...context, signal }, body, () => indexed(context))));
    return { rows, next: rows.length === body.limit ? valueOf(member(answer, 'bookmark')) : null };
  };
  output.replaceChildren(loadingState());
  try {
    const first = await read(null);
    const table = await pagedTable(columns(database, body, first.rows), async cursor => cursor === null ? first : read(cursor),
      { caption: t.results, empty: t.noResults });
    if (!signal.aborted) output.replaceChildren(summary, table, json.element, elsewhere(database, body));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) output.replaceChildren(errorState(error), sortHelp(context, body, error) || '');
  }
}

/** An index was made: what is shown is asked again. */
async function indexed(context) {
  if (context.output.firstChild) await run(context);
  if (context.explained.firstChild) await explain(context);
}

function summaryOf(answer, rows, milliseconds, warn) {
  const stats = valueOf(member(answer, 'execution_stats')), warning = valueOf(member(answer, 'warning'));
  return [
    h('p', { class: 'note' }, t.summary(count(rows.length), count(milliseconds)),
      stats && ` ${t.statistics(count(stats.total_keys_examined), count(stats.total_docs_examined), stats.execution_time_ms)}`),
    warning && warn(warning),
  ].filter(Boolean);
}

function columns(database, body, rows) {
  const chosen = body.fields || [...new Set(rows.flatMap(row => row.members.map(item => item.key)))]
    .filter(name => name !== '_id' && name !== '_rev').slice(0, COLUMNS_MAX);
  const others = chosen.filter(name => name !== '_id').map(name => ({ title: name, cell: row => cell(memberAt(row, name)) }));
  const id = { title: '_id', cell: row => member(row, '_id') ? documentLink(database, valueOf(member(row, '_id'))) : '' };
  return rows.length && !member(rows[0], '_id') ? others : [id, ...others];
}

/** A sort needs an index: who may create one gets a button. */
function sortHelp(context, body, error) {
  if (error.code !== 'no_usable_index' || !body.sort || !context.mayIndex) return null;
  return h('div', { class: 'buttons' }, actionButton(t.makeIndex, async () => {
    await makeIndex(context.database, { fields: body.sort });
    await run(context);
  }, { class: 'primary' }));
}

async function explain(context) {
  let body;
  try { body = request(context); } catch (error) { if (error instanceof JSONMistake) return; throw error; }
  const signal = context.explains.next(), { explained } = context;
  explained.replaceChildren(loadingState());
  try {
    const { answer } = await askNodes('POST', path(context.database, '_explain'), bodyOf(body), { signal });
    if (!signal.aborted) explained.replaceChildren(planOf(answer, context, () => indexed(context)));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) explained.replaceChildren(errorState(error), sortHelp(context, body, error) || '');
  }
}

// ---- The same elsewhere

function elsewhere(database, body) {
  const sent = () => ({ ...body, selector: rawValue(body.selector) });
  return sameElsewhere(() => [{ method: 'POST', address: path(database, '_find'), body: sent() }], () => [
    swiftDatabase(database),
    `let page = try await database.find(FindQuery(\n    selector: ${swiftNode(body.selector)}${swiftFields(body)}${swiftSort(body)}, limit: ${body.limit}))`,
    'for document in page.documents { print(document.id ?? "", document.body) }',
  ].join('\n'));
}

const swiftFields = body => body.fields ? `, fields: ${swiftLiteral(body.fields)}` : '';

function swiftSort({ sort }) {
  if (!sort) return '';
  const items = sort.map(item => {
    if (typeof item === 'string') return swiftText(item);
    const [name, order] = Object.entries(item)[0] || ['', 'asc'];
    return order === 'desc' ? `.descending(${swiftText(name)})` : swiftText(name);
  });
  return `, sort: [${items.join(', ')}]`;
}
