// Queries by words in a text index, the best documents first.
import { ask, documentPath, path, swiftDatabase, withQuery } from '../api.js';
import { actionButton, count, emptyState, errorState, field, h, loadingState, toast } from '../view.js';
import { texts } from '../texts.js';
import { askTimed } from './bounded-read.js';
import { cell, documentLink, jsonPart, numberInput, runForm, runs } from './query-results.js';
import { designs } from './query-view.js';
import { mayAdminister } from './rights.js';
import { sameElsewhere } from './same.js';
import { swiftText } from './swift-literal.js';
import { pagedTable } from './table.js';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 25;
const t = texts.queries;

/** The indexes of a type: those of `_index`, and those of functions in the member `member` of design documents. */
export async function indexes(database, type, member, signal) {
  const { answer } = await askTimed('GET', path(database, '_index'), undefined, { signal });
  const declared = answer.indexes.filter(index => index.type === type).map(index => ({ design: index.ddoc, name: index.name }));
  const { documents } = await designs(database, signal);
  const ofFunctions = documents.filter(design => design.language !== 'query').flatMap(design =>
    Object.keys(design[member] || {}).map(name => ({ design: design._id, name })));
  return [...declared, ...ofFunctions];
}

/** A choice of one index. */
export function indexChoice(list) {
  return h('select', null, list.map((index, i) => h('option', { value: i }, `${index.design.slice('_design/'.length)}/${index.name}`)));
}

export async function make(database, signal) {
  const list = await indexes(database, 'text', 'indexes', signal);
  if (!list.length) {
    return emptyState(t.noTextIndex, await mayAdminister(database, signal) && actionButton(t.makeTextIndex, async () => {
      await ask('POST', path(database, '_index'), { type: 'text', ddoc: 'words', name: 'words', index: {} });
      toast(t.indexMade);
      dispatchEvent(new HashChangeEvent('hashchange'));
    }, { class: 'primary' }));
  }
  const parts = {
    index: indexChoice(list), query: h('input', { required: true, autocomplete: 'off', spellcheck: 'false' }),
    sort: h('input', { autocomplete: 'off', spellcheck: 'false' }), limit: numberInput(LIMIT_DEFAULT, 1, LIMIT_MAX), documents: h('input', { type: 'checkbox', checked: true }),
  };
  const output = h('div', { class: 'query-output' });
  const context = { database, signal, parts, list, output, runs: runs(signal) };
  return [runForm({ 'aria-label': t.kinds.text }, () => run(context),
    field(t.textQuery, parts.query, t.textNote),
    h('div', { class: 'form-grid' }, field(t.index, parts.index), field(t.textSort, parts.sort, t.textSortNote), field(t.limit, parts.limit, t.limitNote)),
    h('label', { class: 'check' }, parts.documents, t.withDocuments),
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.run))), output];
}

function sortOf(text) {
  const trimmed = text.trim();
  // A list of fields is JSON already; a single field is a text in JSON.
  return !trimmed ? undefined : /^["[]/.test(trimmed) ? trimmed : JSON.stringify(trimmed);
}

async function run({ database, parts, list, output, runs: all }) {
  if (!parts.query.value.trim()) return parts.query.focus();
  const signal = all.next(), index = list[parts.index.value];
  const base = documentPath(database, index.design, '_search', index.name);
  const query = {
    q: parts.query.value, sort: sortOf(parts.sort.value), include_docs: parts.documents.checked || undefined,
    limit: Math.min(Math.max(Math.round(Number(parts.limit.value)) || LIMIT_DEFAULT, 1), LIMIT_MAX),
  };
  const summary = h('div', { role: 'status', class: 'query-summary' }), json = jsonPart();
  const read = async bookmark => {
    const { answer, milliseconds } = await askTimed('GET', withQuery(base, { ...query, bookmark: bookmark ?? undefined }), undefined, { signal });
    json.set(answer);
    summary.replaceChildren(h('p', { class: 'note' }, t.matches(count(answer.total_rows), count(milliseconds))));
    return { rows: answer.rows, next: answer.rows.length === query.limit ? answer.bookmark : null };
  };
  output.replaceChildren(loadingState());
  try {
    const table = await pagedTable([
      { title: t.id, cell: row => documentLink(database, row.id) },
      { title: query.sort ? t.order : t.score, isNumber: !query.sort, cell: row => query.sort ? cell(row.order.slice(0, -1)) : Number(row.order[0]).toFixed(3) },
      { title: t.values, cell: row => h('span', { class: 'mono' }, Object.keys(row.fields || {}).length ? cell(row.fields) : '') },
      ...(query.include_docs ? [{ title: t.document, cell: row => h('span', { class: 'mono' }, cell(row.doc)) }] : []),
    ], read, { caption: t.results, empty: t.noResults });
    if (!signal.aborted) output.replaceChildren(summary, table, json.element, elsewhere(database, base, query, index));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) output.replaceChildren(errorState(error));
  }
}

function elsewhere(database, base, query, index) {
  const name = `${index.design.slice('_design/'.length)}/${index.name}`;
  return sameElsewhere([{ address: withQuery(base, query) }], query.sort ? undefined : () => [
    swiftDatabase(database),
    `let page = try await database.search(${swiftText(query.q)}, index: ${swiftText(name)}, limit: ${query.limit})`,
    'for hit in page.hits { print(hit.score, hit.document.id ?? "") }',
  ].join('\n'));
}
