// The results of a trial: what the function did with each document, its log lines, and its time.
import { count, h } from '../view.js';
import { texts } from '../texts.js';
import { documentLink } from './database-lists.js';
import { at, isText, textOf } from './design-model.js';
import { compact, member, valueOf } from './json.js';
import './map.js';
import { choices } from './map-choices.js';
import { itemsOf, textOf as words } from './query-nodes.js';
import { ROWS_MAX } from './table.js';

const CELL_CHARACTERS = 300;
/** The uses of a field of a text index, a sum on the server. */
const SEARCHED = 1, STORED = 2, COUNTED = 4;
const t = texts.trial;

/** The results as elements. `answer` is the node that the server sent. */
export function trialResults(database, entry, answer, { milliseconds, state }) {
  const documents = itemsOf(answer, 'documents').map(node => ({
    id: valueOf(member(node, 'id')), result: member(node, 'result'), error: valueOf(member(node, 'error')),
    log: valueOf(member(node, 'log')) || [], milliseconds: valueOf(member(node, 'milliseconds')) || 0,
  })).map(item => ({ ...item, error: item.error ?? thrown(item.result) }));
  if (!documents.length) return [h('p', { class: 'warning' }, t.noDocuments)];
  const places = entry.kind.id === 'places' ? placesMap(database, documents) : null;
  const failed = documents.filter(item => item.error !== undefined).length;
  return [
    h('p', { class: failed ? 'bad' : 'note' }, summary(entry.kind.id, documents), failed > 0 && ` ${t.failed(count(failed))}`, ' ', t.took(count(milliseconds))),
    entry.kind.id === 'view' && reducedPart(entry, answer, state),
    places?.element,
    resultTable(database, entry.kind.id, documents, places),
    logPart(documents),
  ].filter(Boolean);
}

/** The error of a function of geometries, which is in its result. */
function thrown(result) {
  const first = result?.kind === 'array' && result.items.length === 1 ? member(result.items[0], 'thrown') : undefined;
  return first ? valueOf(first) : undefined;
}

function summary(kind, documents) {
  const good = documents.filter(item => item.error === undefined), total = count(documents.length);
  const sum = read => good.reduce((all, item) => all + read(item.result), 0), length = result => result?.items?.length || 0;
  return {
    view: () => t.rows(count(sum(length)), total), filter: () => t.passed(count(sum(result => result?.raw === 'true' ? 1 : 0)), total),
    validation: () => t.accepted(count(sum(result => isRefusal(result) ? 0 : 1)), total),
    text: () => t.fields(count(sum(length)), total), places: () => t.geometries(count(sum(length)), total),
  }[kind]();
}

const isRefusal = result => result?.kind === 'object';

// ---- For each document

/** The cells of a document in the table: one list for each row. */
const CELLS = {
  view: result => result.items.map(row => row.items.map(node => cell(node))),
  filter: result => [[tag(result.raw === 'true', t.passes, t.isLeftOut)]],
  validation: result => [[isRefusal(result)
    ? [tag(false, '', words(member(result, 'error'))), ' ', words(member(result, 'reason'))] : tag(true, t.isAccepted, '')]],
  text: result => result.items.map(({ items: [name, value, use, boost] }) => [words(name), cell(value), uses(valueOf(use), boost)]),
  places: (result, places) => result.items.map(node => [places?.pick(node) || cell(node)]),
};

const uses = (use, boost) => [
  use & SEARCHED ? t.searched : t.notSearched, use & STORED && t.stored, use & COUNTED && t.counted, boost && t.boost(compact(boost)),
].filter(Boolean).join(', ');

const tag = (isGood, good, bad) => h('span', { class: `tag ${isGood ? 'tag-green' : 'tag-red'}` }, isGood ? good : bad);

const shortened = text => text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;

const cell = node => h('span', { class: 'mono', dir: 'ltr' }, shortened(compact(node)));

function resultTable(database, kind, documents, places) {
  const columns = t.columns[kind], rows = [];
  let left = 0;
  for (const item of documents) {
    const cells = rowsOf(kind, item, columns.length, places);
    for (const [i, values] of cells.entries()) {
      if (rows.length >= ROWS_MAX) { left += 1; continue; }
      rows.push(h('tr', null, h('th', { scope: 'row' }, i === 0 ? documentLink(database, item.id) : h('span', { class: 'hidden' }, item.id)), values,
        h('td', { class: 'number' }, i === 0 ? t.milliseconds(count(item.milliseconds)) : '')));
    }
  }
  return h('div', { class: 'stack' }, h('div', { class: 'table-scroll trial-table', tabindex: '0', role: 'region', 'aria-label': t.results }, h('table', { class: 'data-table' }, h('caption', { class: 'hidden' }, t.results),
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, t.document), columns.map(title => h('th', { scope: 'col' }, title)), h('th', { scope: 'col', class: 'number' }, t.time))),
    h('tbody', null, rows))), left > 0 && h('p', { class: 'note' }, t.rowsLeft(count(left))));
}

function rowsOf(kind, item, width, places) {
  const whole = (content, className) => [h('td', { colspan: width, class: className }, content)];
  if (item.error !== undefined) return [whole(`${t.threw} ${item.error}`, 'bad')];
  const rows = CELLS[kind](item.result || { kind: 'array', items: [], raw: 'null' }, places);
  return rows.length ? rows.map(cells => cells.map(content => h('td', null, content))) : [whole(h('span', { class: 'note' }, t.nothing[kind]))];
}

// ---- Next to the table

function reducedPart(entry, answer, state) {
  const reduce = at(state.node, [...entry.path, 'reduce']);
  if (!isText(reduce)) return null;
  if (textOf(reduce).trim().startsWith('_')) return h('p', { class: 'note' }, t.builtIn(textOf(reduce).trim()));
  const outcome = member(answer, 'reduced');
  if (outcome?.kind !== 'object') return null;
  const error = valueOf(member(outcome, 'error')), lines = valueOf(member(outcome, 'log')) || [];
  return h('div', { class: 'plan' }, h('h3', null, t.reduced), error !== undefined ? h('p', { class: 'bad' }, `${t.threw} ${error}`) : h('pre', { class: 'code-line', tabindex: '0' }, member(outcome, 'result') ? compact(member(outcome, 'result')) : 'null'),
    lines.length > 0 && [h('p', { class: 'note' }, t.log(count(lines.length))), h('pre', { class: 'code-line', tabindex: '0' }, lines.join('\n'))], h('p', { class: 'note' }, t.reducedNote));
}

/** The map of the geometries: `pick(node)` is a button that shows one of them on it. `null` without geometries. */
function placesMap(database, documents) {
  const features = new Map();
  for (const item of documents.filter(one => one.error === undefined)) {
    for (const node of item.result?.items || []) {
      const geometry = valueOf(node);
      if (geometry?.type) features.set(node, { id: item.id, label: shortened(compact(node)), geometry, content: () => documentLink(database, item.id) });
    }
  }
  if (!features.size) return null;
  const map = h('godwit-map', { label: t.map }), { pick } = choices(map);
  // Those of the first rows, as in the table.
  map.show([...features.values()].slice(0, ROWS_MAX));
  return { element: map, pick: node => features.has(node) ? pick(features.get(node)) : null };
}

function logPart(documents) {
  const logged = documents.filter(item => item.log.length);
  if (!logged.length) return null;
  return h('details', { class: 'same' }, h('summary', null, t.log(count(logged.reduce((sum, item) => sum + item.log.length, 0)))),
    h('pre', { class: 'code-line', tabindex: '0' }, logged.map(item => item.log.map(line => `${item.id}: ${line}`).join('\n')).join('\n')));
}
