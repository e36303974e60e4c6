// The documents of a database on a map, next to a list of them.
import { get, path, withQuery } from '../api.js';
import { count, h } from '../view.js';
import { texts } from '../texts.js';
import { cellOf } from './database-columns.js';
import { documentLink } from './database-lists.js';
import { valueOf } from './json.js';
import './map.js';
import { choices } from './map-choices.js';
import { PLACE_EXAMPLE } from './map-example.js';
import { nameOf } from './map-features.js';
import { geometryOf, hasImpossiblePlace } from './map-geometry.js';
import { noteMap } from './overview-start.js';
import { memberAt } from './query-nodes.js';
import { block } from './same.js';
import { pagedTable, ROWS_MAX } from './table.js';

/** The maximum number of values in a popup. */
const VALUES_MAX = 12;
const t = texts.database;

const placeOf = row => row.isShort ? null : geometryOf(valueOf(row.doc));

/**
 * The map and the list.
 *
 * @param page `{ database, signal }`.
 * @param filter `{ prefix, selector }`: without both, the number of all documents is named.
 * @param columns The columns that are shown in popups.
 * @param read `read(cursor)` returns a page of documents, as for a table.
 */
export async function placesOnMap({ database, signal }, filter, columns, read) {
  const map = h('godwit-map', { label: t.mapOfDocuments }), { pick } = choices(map), note = h('p', { class: 'note', role: 'status' });
  const forms = placeForms(), side = h('div', { class: 'map-side' }, forms), isAll = !filter.prefix && !filter.selector;
  const total = isAll ? await totalOf(database, signal) : null;
  let shown = [];
  const readFeatures = async cursor => {
    const page = await read(cursor), rows = page.rows.map(row => featureOf(database, columns, row));
    shown = [...(cursor === null ? [] : shown), ...rows].slice(-ROWS_MAX);
    const onMap = shown.filter(feature => feature.geometry);
    map.show(onMap, { fits: true });
    const isEnd = cursor === null && page.next === null;
    const impossible = shown.filter(feature => feature.isImpossible).length;
    note.textContent = impossible ? `${t.impossible(count(impossible))} ` : '';
    note.textContent += t.onMap(count(onMap.length), count(shown.length), isEnd ? count(shown.length) : total && count(total));
    // A map without places explains which ones it finds.
    forms.hidden = onMap.length > 0;
    map.hidden = !onMap.length;
    if (onMap.length && !map.parentNode) {
      side.append(map);
      noteMap();
      // The map may be below the end of the window.
      map.ready.then(() => map.scrollIntoView({ block: 'nearest' }), () => {});
    }
    return { ...page, rows };
  };
  const table = await pagedTable([
    { title: t.place, cell: feature => feature.geometry ? pick(feature) : h('bdi', null, feature.label) },
    { title: t.id, cell: feature => documentLink(database, feature.id) },
  ], readFeatures, { caption: t.tabs.documents, empty: t.noneFound });
  return h('div', { class: 'map-beside' }, side, h('div', { class: 'stack' }, note, table));
}

/** The number of documents without design documents; `null` if it cannot be read. */
async function totalOf(database, signal) {
  try {
    const [info, designs] = await Promise.all([get(path(database), { signal }), get(withQuery(path(database, '_design_docs'), { limit: 0 }), { signal })]);
    return info.doc_count - designs.total_rows;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return null;
  }
}

/** The forms of a place that a map shows, with an example. */
function placeForms() {
  return h('section', { class: 'stack place-forms' }, h('h2', null, t.noPlaces), h('p', null, t.placeForms),
    h('ul', null, t.placeFormList.map(words => h('li', null, words))), block(t.placeExample, JSON.stringify(PLACE_EXAMPLE, null, 2)));
}

function featureOf(database, columns, { id, doc, isShort }) {
  const label = nameOf(doc, id);
  return {
    id, label, geometry: placeOf({ doc, isShort }), isImpossible: !isShort && hasImpossiblePlace(valueOf(doc)),
    content: () => [
      label !== id && h('strong', { dir: 'auto' }, label), documentLink(database, id),
      h('dl', { class: 'facts' }, columns.flatMap(name => valuesOf(name, memberAt(doc, name))).slice(0, VALUES_MAX)
        .flatMap(([name, node]) => [h('dt', null, h('bdi', null, name)), h('dd', null, cellOf(node))])),
    ],
  };
}

/** The values of a column in a popup: those of an object one by one, and none of a geometry, which the map shows. */
function valuesOf(name, node) {
  if (!node) return [];
  if (node.kind !== 'object') return [[name, node]];
  if (geometryOf({ value: valueOf(node) })) return [];
  return node.members.filter(item => item.node.kind === 'plain' && item.node.raw !== 'null').map(item => [item.key, item.node]);
}
