// Queries by words: the hits, their groups, and the numbers of hits for values and ranges of fields.
import { ask, documentPath, path, swiftDatabase, withQuery } from '../api.js';
import { actionButton, button, count, emptyState, errorState, field, h, loadingState, toast } from '../view.js';
import { texts } from '../texts.js';
import { askTimed } from './bounded-read.js';
import { compact, member, valueOf } from './json.js';
import { isObject, jsonField, JSONMistake } from './json-text.js';
import { askNodes, itemsOf, textOf } from './query-nodes.js';
import { END, fragments, groupsOf, numbersOf, START } from './query-text-answer.js';
import { cell, documentLink, jsonPart, numberInput, runForm, runs } from './query-results.js';
import { choose, designs } from './query-view.js';
import { mayAdminister } from './rights.js';
import { sameElsewhere } from './same.js';
import { swiftText } from './swift-literal.js';
import { pagedTable } from './table.js';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 25;
const GROUPS_MAX = 200;
const t = texts.queries;

/** The indexes of a type: those of `_index`, and those of functions in the member `member` of design documents. */
export async function indexes(database, type, key, signal) {
  const { answer } = await askTimed('GET', path(database, '_index'), undefined, { signal });
  const declared = answer.indexes.filter(index => index.type === type).map(index => ({ design: index.ddoc, name: index.name, isDeclared: true }));
  const { documents } = await designs(database, signal);
  const ofFunctions = documents.filter(design => design.language !== 'query').flatMap(design =>
    Object.keys(design[key] || {}).map(name => ({ design: design._id, name })));
  return [...declared, ...ofFunctions];
}

/** A choice of one index, at first the one with the name. */
export function indexChoice(list, name) {
  const select = h('select', null, list.map((index, i) => h('option', { value: i }, `${index.design.slice('_design/'.length)}/${index.name}`)));
  choose(select, name);
  return select;
}

export async function make(database, signal, index) {
  const list = await indexes(database, 'text', 'indexes', signal);
  if (!list.length) {
    return emptyState(t.noTextIndex, await mayAdminister(database, signal) && actionButton(t.makeTextIndex, async () => {
      await ask('POST', path(database, '_index'), { type: 'text', ddoc: 'words', name: 'words', index: {} });
      toast(t.indexMade);
      dispatchEvent(new HashChangeEvent('hashchange'));
    }, { class: 'primary' }));
  }
  const parts = controls(list, index), output = h('div', { class: 'query-output' });
  const context = { database, parts, list, output, drilldown: [], runs: runs(signal) };
  const { form, filters } = formOf(context);
  context.filters = filters;
  return [form, output];
}

// ---- The form

function controls(list, name) {
  const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
  const parts = {
    index: indexChoice(list, name), query: text({ required: true }), sort: text(), limit: numberInput(LIMIT_DEFAULT, 1, LIMIT_MAX),
    documents: h('input', { type: 'checkbox', checked: true }), highlights: text(), counts: text(),
    ranges: jsonField(t.ranges, '', { rows: 2, note: t.rangesNote, accepts: value => isObject(value) ? null : t.notObject }),
    group: text(), groupLimit: numberInput('', 1, GROUPS_MAX), groupSort: text(),
  };
  const update = () => {
    const isGrouped = Boolean(parts.group.value.trim());
    parts.groupLimit.disabled = parts.groupSort.disabled = !isGrouped;
    // An answer with groups has no counts.
    parts.counts.disabled = parts.ranges.area.disabled = isGrouped;
  };
  parts.group.addEventListener('input', update);
  update();
  return parts;
}

function formOf(context) {
  const { parts } = context, filters = h('div', { class: 'buttons', hidden: true });
  const form = runForm({ 'aria-label': t.kinds.text }, () => run(context),
    field(t.textQuery, parts.query, t.textNote),
    h('div', { class: 'form-grid' }, field(t.index, parts.index), field(t.textSort, parts.sort, t.textSortNote), field(t.limit, parts.limit, t.limitNote)),
    h('details', { class: 'same' }, h('summary', null, t.textMore), h('div', { class: 'form filter' },
      h('div', { class: 'form-grid' }, field(t.highlights, parts.highlights, t.fieldListNote), field(t.counts, parts.counts, t.countsNote), parts.ranges.element),
      h('div', { class: 'form-grid' }, field(t.groupField, parts.group, t.groupFieldNote), field(t.groupLimit, parts.groupLimit, t.groupLimitNote),
        field(t.groupSort, parts.groupSort, t.textSortNote)))),
    h('label', { class: 'check' }, parts.documents, t.withDocuments), filters,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.run)));
  return { form, filters };
}

/** Shows the values to which the hits are limited, each with a button that removes it. */
function showFilters(context) {
  const { drilldown, filters } = context;
  filters.hidden = !drilldown.length;
  filters.replaceChildren(h('span', { class: 'note' }, t.onlyWith), ...drilldown.map(([name, value], i) =>
    button(h('bdi', null, `${name}: ${value} ×`), () => {
      context.drilldown = drilldown.filter((_, at) => at !== i);
      showFilters(context);
      run(context);
    }, { 'aria-label': t.removeFilter(name, value) })));
}

function limitTo(context, name, value) {
  if (!context.drilldown.some(item => item[0] === name && item[1] === value)) context.drilldown = [...context.drilldown, [name, value]];
  showFilters(context);
  return run(context);
}

// ---- The request

function sortOf(text) {
  const trimmed = text.trim();
  // A list of fields is JSON already; a single field is a text in JSON.
  return !trimmed ? undefined : /^["[]/.test(trimmed) ? trimmed : JSON.stringify(trimmed);
}

/** The names of a text in which commas separate them. */
const namesOf = input => input.disabled ? [] : input.value.split(',').map(name => name.trim()).filter(Boolean);

const ifAny = list => list.length ? list : undefined;

function parameters({ parts, drilldown }) {
  const ranges = parts.ranges.area.disabled ? undefined : parts.ranges.node(), group = parts.group.value.trim() || undefined;
  const highlights = ifAny(namesOf(parts.highlights));
  return {
    q: parts.query.value, sort: sortOf(parts.sort.value), include_docs: parts.documents.checked || undefined,
    limit: Math.min(Math.max(Math.round(Number(parts.limit.value)) || LIMIT_DEFAULT, 1), LIMIT_MAX),
    counts: ifAny(namesOf(parts.counts)), ranges: ranges && compact(ranges), drilldown: ifAny(drilldown),
    group_field: group, group_limit: group && Number(parts.groupLimit.value) || undefined, group_sort: group && sortOf(parts.groupSort.value),
    highlight_fields: highlights, highlight_pre_tag: highlights && JSON.stringify(START), highlight_post_tag: highlights && JSON.stringify(END),
  };
}

async function run(context) {
  const { database, parts, list, output } = context;
  if (!parts.query.value.trim()) return parts.query.focus();
  let query;
  try { query = parameters(context); } catch (error) { if (error instanceof JSONMistake) return; throw error; }
  const signal = context.runs.next(), index = list[parts.index.value], base = documentPath(database, index.design, '_search', index.name);
  const request = bookmark => askNodes('GET', withQuery(base, { ...query, bookmark: bookmark ?? undefined }), undefined, { signal });
  output.replaceChildren(loadingState());
  try {
    const content = query.group_field ? await grouped(context, query, request) : await paged(context, query, request);
    if (!signal.aborted) output.replaceChildren(...content, elsewhere(database, base, query, index));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) output.replaceChildren(errorState(error));
  }
}

// ---- The answer

async function paged(context, query, request) {
  const summary = h('div', { role: 'status', class: 'query-summary' }), numbers = h('div', { class: 'numbers' }), json = jsonPart();
  const read = async bookmark => {
    const { answer, milliseconds } = await request(bookmark), rows = itemsOf(answer, 'rows');
    json.set(answer);
    summary.replaceChildren(h('p', { class: 'note' }, t.matches(count(valueOf(member(answer, 'total_rows'))), count(milliseconds))));
    numbers.replaceChildren(...numbersOf(answer, (name, value) => limitTo(context, name, value)));
    return { rows, next: rows.length === query.limit ? valueOf(member(answer, 'bookmark')) : null };
  };
  const first = await read(null);
  const table = await pagedTable(columns(context.database, query, first.rows), async cursor => cursor === null ? first : read(cursor),
    { caption: t.results, empty: t.noResults });
  return [summary, numbers, table, json.element];
}

async function grouped(context, query, request) {
  const { answer, milliseconds } = await request(null), json = jsonPart();
  const rows = itemsOf(answer, 'groups').flatMap(group => itemsOf(group, 'rows'));
  json.set(answer);
  const summary = h('div', { role: 'status', class: 'query-summary' },
    h('p', { class: 'note' }, t.matches(count(valueOf(member(answer, 'total_rows'))), count(milliseconds))));
  return [summary, ...await groupsOf(answer, columns(context.database, query, rows)), json.element];
}

/** The columns for hits; the fields only if the first hits have some. */
function columns(database, query, rows) {
  const hasFields = rows.some(row => member(row, 'fields')?.members.length);
  const order = row => {
    const items = itemsOf(row, 'order');
    return query.sort ? items.slice(0, -1).map(textOf).join(', ') : Number(textOf(items[0])).toFixed(3);
  };
  return [
    { title: t.id, cell: row => documentLink(database, valueOf(member(row, 'id'))) },
    { title: query.sort ? t.order : t.score, isNumber: !query.sort, cell: order },
    ...(query.highlight_fields ? [{ title: t.highlighted, cell: row => fragments(member(row, 'highlights')) }] : []),
    ...(hasFields ? [{ title: t.values, cell: row => h('span', { class: 'mono' }, cell(member(row, 'fields'))) }] : []),
    ...(query.include_docs ? [{ title: t.document, cell: row => h('span', { class: 'mono' }, cell(member(row, 'doc'))) }] : []),
  ];
}

// ---- The same elsewhere

/** Swift finds indexes that `_index` lists, and returns hits and highlights in the order of relevance. */
function elsewhere(database, base, query, index) {
  const hasSwift = index.isDeclared && !query.sort && !query.group_field && !query.drilldown;
  const name = `${index.design.slice('_design/'.length)}/${index.name}`;
  const highlights = query.highlight_fields ? `, highlighting: SearchHighlights([${query.highlight_fields.map(swiftText).join(', ')}])` : '';
  const sent = { ...query, highlight_pre_tag: undefined, highlight_post_tag: undefined };
  return sameElsewhere([{ address: withQuery(base, sent) }], hasSwift ? () => [
    swiftDatabase(database),
    `let page = try await database.search(${swiftText(query.q)}, index: ${swiftText(name)}, limit: ${query.limit}${highlights})`,
    `for hit in page.hits { print(hit.score, hit.document.id ?? ""${highlights && ', hit.highlights'}) }`,
  ].join('\n') : undefined);
}
