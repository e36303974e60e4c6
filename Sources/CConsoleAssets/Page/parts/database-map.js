// The documents of a database on a map, next to a list of them.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { cellOf } from './database-columns.js';
import { documentLink } from './database-lists.js';
import { member, valueOf } from './json.js';
import './map.js';
import { choices } from './map-choices.js';
import { nameOf } from './map-features.js';
import { geometryOf } from './map-geometry.js';
import { pagedTable, ROWS_MAX } from './table.js';

/** The maximum number of values in a popup. */
const VALUES_MAX = 12;
const t = texts.database;

const placeOf = row => row.isShort ? null : geometryOf(valueOf(row.doc));

/** Whether the documents of a page have places. */
export const hasPlaces = rows => rows.some(placeOf);

/** The map and the list. `read(cursor)` returns a page of documents, as for a table; `columns` are shown in popups. */
export async function placesOnMap(database, columns, read) {
  const map = h('godwit-map', { label: t.mapOfDocuments }), { pick } = choices(map), note = h('p', { class: 'note', role: 'status' });
  let shown = [];
  const readFeatures = async cursor => {
    const page = await read(cursor), rows = page.rows.map(row => featureOf(database, columns, row));
    shown = [...(cursor === null ? [] : shown), ...rows].slice(-ROWS_MAX);
    const onMap = shown.filter(feature => feature.geometry);
    map.show(onMap, { fits: true });
    note.textContent = t.onMap(onMap.length, shown.length);
    return { ...page, rows };
  };
  const table = await pagedTable([
    { title: t.place, cell: feature => feature.geometry ? pick(feature) : h('bdi', null, feature.label) },
    { title: t.id, cell: feature => documentLink(database, feature.id) },
  ], readFeatures, { caption: t.tabs.documents, empty: t.noneFound });
  return h('div', { class: 'map-beside' }, h('div', { class: 'map-side' }, map), h('div', { class: 'stack' }, note, table));
}

function featureOf(database, columns, { id, doc, isShort }) {
  const label = nameOf(doc, id);
  return {
    id, label, geometry: placeOf({ doc, isShort }),
    content: () => [
      label !== id && h('strong', { dir: 'auto' }, label), documentLink(database, id),
      h('dl', { class: 'facts' }, columns.flatMap(name => valuesOf(name, member(doc, name))).slice(0, VALUES_MAX)
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
