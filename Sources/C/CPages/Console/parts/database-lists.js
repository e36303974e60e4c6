// The lists of a database: design documents, conflicts, and deleted documents.
import { isAdministrator, path, swiftDatabase, withQuery } from '../api.js';
import { button, h, load } from '../view.js';
import { texts } from '../texts.js';
import { askLimited, shrinking } from './bounded-read.js';
import { indexList } from './database-indexes.js';
import { indexDialog } from './index-form.js';
import { purgeDialog } from './database-purge.js';
import { fieldWords } from './query-index.js';
import { sameElsewhere } from './same.js';
import { pagedTable } from './table.js';

const PAGE = 50;
/** The server reads the deleted documents from the newest on, so each page needs all before it: this is the last one. */
const DELETED_MAX = 5000;
/** The maximum number of names in a cell. */
const NAMES_MAX = 12;
/** Ids up to this length stay on one line. */
const ID_CHARACTERS = 40;
const t = texts.database;

export const documentLink = (database, id, query) =>
  h('a', { href: withQuery(`#/document/${encodeURIComponent(database)}/${encodeURIComponent(id)}`, query || {}), class: id.length > ID_CHARACTERS && 'id-long', title: id.length > ID_CHARACTERS && id }, h('bdi', null, id));

// ---- Design documents

/** The members of a design document that have names, in the order in which they are shown. */
const KINDS = [['views', 'views'], ['st_indexes', 'geo'], ['indexes', 'search'], ['filters', 'filters'], ['updates', 'updates'], ['shows', 'shows'], ['lists', 'lists']];

const designLink = (database, id) => h('a', { href: `#/design/${encodeURIComponent(database)}/${encodeURIComponent(id.slice('_design/'.length))}` }, h('bdi', null, id));

export function designTab(host, page) {
  const { database, mayAdmin, signal } = page, list = h('div'), indexes = h('section'), again = () => { if (!signal.aborted) designTab(host, page); };
  host.replaceChildren(list,
    h('div', { class: 'head' }, h('h2', null, t.indexes), mayAdmin && button(texts.indexForm.title, () => indexDialog(page, again))), h('p', { class: 'note' }, t.indexesNote), indexes);
  indexList(indexes, page, again);
  const address = path(database, '_design_docs');
  const read = cursor => shrinking([PAGE, 10, 1], async size => {
    const query = { include_docs: true, limit: size + 1, ...(cursor === null ? {} : { startkey: JSON.stringify(cursor) }) };
    const { rows } = await askLimited('GET', withQuery(address, query), undefined, { signal });
    return { next: rows.length > size ? rows.pop().id : null, rows };
  });
  return load(list, () => pagedTable([
    { title: t.id, cell: row => designLink(database, row.id) },
    { title: t.language, cell: row => row.doc?.language || 'javascript' },
    { title: t.contents, cell: row => contents(row.doc || {}) },
    { title: texts.databases.actions, cell: row => h('a', { href: `#/document/${encodeURIComponent(database)}/${encodeURIComponent(row.id)}`, 'aria-label': texts.design.asJSONName(row.id) }, texts.design.asJSON) },
  ], read, { caption: t.tabs.design, empty: t.noDesign }), element => [
    mayAdmin && h('div', { class: 'list-controls' }, h('a', { class: 'as-button', href: `#/design/${encodeURIComponent(database)}/` }, texts.design.create)), h('div', { class: 'roomy design-table' }, element), sameElsewhere([{ address }])], signal);
}

function contents(design) {
  const isQuery = design.language === 'query';
  const found = KINDS.filter(([key]) => !(isQuery && key === 'views')).map(([key, kind]) => [kind, Object.keys(design[key] || {})]).filter(([, names]) => names.length);
  const functions = [design.validate_doc_update && t.validates, design.rewrites && t.rewrites].filter(Boolean);
  return [
    ...(isQuery ? selectorIndexes(design) : []),
    ...found.map(([kind, names]) => h('div', null, h('span', { class: 'note' }, `${t.kinds[kind]}: `),
      names.slice(0, NAMES_MAX).join(', '), names.length > NAMES_MAX && ` ${t.more(names.length - NAMES_MAX)}`)),
    ...functions.map(words => h('div', { class: 'note' }, words)),
  ];
}

/** The indexes of selectors in a design document, with their fields. */
function selectorIndexes(design) {
  const all = Object.entries(design.views || {}).map(([name, view]) => [name, view?.options?.def?.fields ?? view?.map?.fields]);
  return [
    ...all.slice(0, NAMES_MAX).map(([name, fields]) => h('div', null, h('span', { class: 'note' }, `${t.selectorIndex}: `), name,
      fields && [' ', h('code', null, fieldWords(Array.isArray(fields) ? fields : Object.entries(fields).map(([key, order]) => ({ [key]: order }))))])),
    all.length > NAMES_MAX && h('div', null, t.more(all.length - NAMES_MAX)),
  ];
}

// ---- Conflicts

export function conflictsTab(host, { database, signal }) {
  const address = path(database, '_find'), body = { selector: { _conflicts: { $exists: true } }, conflicts: true, fields: ['_id', '_rev', '_conflicts'], limit: PAGE };
  const read = async cursor => {
    const answer = await askLimited('POST', address, { ...body, ...(cursor === null ? {} : { bookmark: cursor }) }, { signal });
    return { rows: answer.docs, next: answer.docs.length < PAGE ? null : answer.bookmark };
  };
  return load(host, () => pagedTable([
    { title: t.id, cell: row => documentLink(database, row._id) },
    { title: t.versions, isNumber: true, cell: row => row._conflicts.length + 1 },
    { title: t.winner, cell: row => h('code', null, row._rev) },
    { title: texts.databases.actions, cell: row => h('a', { href: withQuery(`#/document/${encodeURIComponent(database)}/${encodeURIComponent(row._id)}`, { view: 'merge' }), 'aria-label': t.mergeName(row._id) }, t.merge) },
  ], read, { caption: t.tabs.conflicts, empty: t.noConflicts }), element => [h('p', { class: 'note' }, t.conflictsNote), element, sameElsewhere([{ method: 'POST', address, body }],
    `${swiftDatabase(database)}\nfor id in try await database.documentIDs(limit: 100) {\n    let leaves = try await database.leaves(of: id)\n    if leaves.count > 1 { print(id, leaves) }\n}`)], signal);
}

// ---- Deleted documents

export function deletedTab(host, page) {
  const { database, signal, refresh } = page, again = () => { if (!signal.aborted) { refresh(); deletedTab(host, page); } };
  const address = path(database, '_changes'), body = { selector: { _deleted: true } };
  const query = limit => withQuery(address, { filter: '_selector', descending: true, limit });
  const read = async cursor => {
    const start = cursor ?? 0;
    const { results } = await askLimited('POST', query(start + PAGE + 1), body, { signal });
    const rows = results.slice(start, start + PAGE), end = start + rows.length;
    return { rows, next: results.length > end && end < DELETED_MAX ? end : null };
  };
  return load(host, () => pagedTable([
    { title: t.id, cell: row => documentLink(database, row.id) },
    { title: t.revision, cell: row => h('code', null, row.changes[0].rev) },
    { title: t.sequence, isNumber: true, cell: row => String(row.seq).split('-')[0] },
    // Only administrators of the server may purge.
    isAdministrator() && { title: texts.databases.actions, cell: row => h('div', { class: 'row-buttons' }, button(texts.purging.purge, () => purgeDialog(database, [row.id], signal, again), { class: 'danger-quiet', 'aria-label': texts.purging.purgeName(row.id) })) },
  ].filter(Boolean), read, { caption: t.tabs.deleted, empty: t.noDeleted }), element => [h('p', { class: 'note' }, t.deletedNote), element, sameElsewhere([{ method: 'POST', address: query(PAGE), body }],
    `${swiftDatabase(database)}\nfor try await change in database.changes(live: false) where change.isDeleted {\n    print(change.id)\n}`)], signal);
}
