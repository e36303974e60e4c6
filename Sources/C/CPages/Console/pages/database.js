// A database: its sizes, its documents, and what can be done with it. `#/database/NAME`, the tab is `?tab=`.
import { ask, downloadAddress, get, isAdministrator, path, withQuery } from '../api.js';
import { conflictsTab, deletedTab, designTab } from '../parts/database-lists.js';
import { acceptDrops, importTab } from '../parts/database-import.js';
import { forgetDatabase, noteDatabase } from '../parts/database-last.js';
import { documentsTab } from '../parts/database-documents.js';
import { askLimited, TooLarge } from '../parts/bounded-read.js';
import { conflictsLink, conflictsOf } from '../parts/conflict-count.js';
import { rightsOf } from '../parts/rights.js';
import { actionButton, bytes, byId, count, button, h, load, moreButtons, toast } from '../view.js';
import { texts } from '../texts.js';
import { remove } from './databases.js';

const TABS = [
  { id: '', title: texts.database.tabs.documents, show: documentsTab },
  { id: 'design', title: texts.database.tabs.design, show: designTab },
  { id: 'conflicts', title: texts.database.tabs.conflicts, show: conflictsTab },
  { id: 'deleted', title: texts.database.tabs.deleted, show: deletedTab },
  { id: 'import', title: texts.database.tabs.import, show: importTab, isForWriters: true },
];
/** The maximum number of links to maps. */
const MAPS_MAX = 12;
const t = texts.database;

export async function show(host, route, signal) {
  const [name] = route.parts;
  if (!name) { location.hash = '#/databases'; return; }
  const buttons = h('div', { class: 'buttons' }), body = h('div', { class: 'form' });
  host.replaceChildren(
    h('p', { class: 'crumbs' }, h('a', { href: '#/databases' }, texts.databases.title)),
    h('div', { class: 'head' }, h('h1', null, h('bdi', null, name)), buttons), body);
  // The rest is read only if the database exists and the user may read it.
  await load(body, () => exists(name, signal), info => {
    const rights = rightsOf(info), may = { mayAdmin: rights.includes('administrate'), mayWrite: rights.includes('write') };
    buttons.replaceChildren(...actions(name, may, signal));
    return parts(name, { route, info, ...may, signal });
  }, signal);
}

/** The information about the database, with which other pages begin from now on. */
async function exists(name, signal) {
  try {
    const info = await get(path(name), { signal });
    noteDatabase(name);
    return info;
  } catch (error) {
    if (error.status === 404) forgetDatabase(name);
    throw error;
  }
}

/** The figures, the maps, and the tabs of which one is shown. */
function parts(name, { route, info, mayAdmin, mayWrite, signal }) {
  const tabs = TABS.filter(item => mayWrite || !item.isForWriters);
  const tab = tabs.find(item => item.id === (route.query.get('tab') || '')) || tabs[0];
  const address = query => withQuery(`#/database/${encodeURIComponent(name)}`, query);
  const numbers = h('div', null, figures(info)), maps = h('div', { hidden: true }), content = h('div', { class: 'tab-content' });
  const refresh = () => load(numbers, () => get(path(name), { signal }), figures, signal);
  showMaps(maps, name, signal);
  if (mayWrite) acceptDrops(byId('main'), { database: name, address, signal });
  tab.show(content, { database: name, route, address, refresh, mayAdmin, mayWrite, signal });
  const bar = h('nav', { class: 'tabs tabs-row', 'aria-label': t.parts }, tabs.map(item => h('a', { href: address(item.id ? { tab: item.id } : {}), 'aria-current': item === tab && 'page' }, item.title)));
  // On a phone the tabs are in one row that scrolls: the current one is in sight.
  requestAnimationFrame(() => {
    const current = bar.querySelector('[aria-current]');
    bar.scrollLeft = current.offsetLeft - bar.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
  });
  return [numbers, maps, bar, content];
}

function actions(name, { mayAdmin, mayWrite }, signal) {
  const others = [
    h('a', { class: 'as-button', href: `#/queries?${new URLSearchParams({ db: name })}` }, texts.queries.title),
    h('a', { class: 'as-button', href: `#/changes?${new URLSearchParams({ db: name })}` }, texts.changes.title),
    isAdministrator() && h('a', { class: 'as-button', href: `#/security/permissions?${new URLSearchParams({ db: name })}` }, texts.security.permissions),
    mayAdmin && actionButton(texts.databases.compact, async () => {
      await ask('POST', path(name, '_compact'), {});
      toast(texts.databases.compacting(name));
    }),
    mayAdmin && h('a', { class: 'as-button', href: downloadAddress(path(name, '_godwit', 'backup')), download: `${name.replaceAll('/', '-')}.backup`, title: t.backupNote }, t.backup),
    h('a', { class: 'as-button', href: downloadAddress(withQuery(path(name, '_all_docs'), { include_docs: true })), download: `${name.replaceAll('/', '-')}.json` }, t.allAsJSON),
    isAdministrator() && button(texts.databases.delete, () => remove(name), { class: 'danger-quiet' }),
  ];
  return [
    mayWrite && h('a', { class: 'as-button as-primary', href: `#/document/${encodeURIComponent(name)}/` }, t.newDocument),
    moreButtons(others, signal),
  ].filter(Boolean);
}

function figures(info) {
  return h('dl', { class: 'figures' }, [
    [texts.databases.documents, count(info.doc_count)], [texts.databases.deleted, count(info.doc_del_count)],
    conflictsOf(info) !== undefined && [texts.databases.conflicts, conflictsLink(info.db_name, info)],
    [t.fileSize, bytes(info.sizes.file)], [t.dataSize, bytes(info.sizes.active)], [t.sequence, String(info.update_seq).split('-')[0]],
    info.props.partitioned && [t.partitioned, t.yes],
  ].filter(Boolean).map(([title, value]) => h('div', null, h('dt', null, title), h('dd', null, value))));
}

/** Links to the map of each geospatial index; none if the design documents are too large to be read here. */
async function showMaps(host, name, signal) {
  try {
    const { rows } = await askLimited('GET', withQuery(path(name, '_design_docs'), { include_docs: true, limit: 200 }), undefined, { signal });
    const indexes = rows.flatMap(row => Object.keys(row.doc?.st_indexes || {}).map(index => [row.id.slice('_design/'.length), index]));
    if (!indexes.length || signal.aborted) return;
    host.hidden = false;
    host.replaceChildren(h('div', { class: 'buttons' }, h('span', { class: 'note' }, t.maps), indexes.slice(0, MAPS_MAX).map(([design, index]) =>
      h('a', { class: 'as-button', target: '_blank', rel: 'noopener', href: mapAddress(name, design, index) }, t.map(design, index)))));
  } catch (error) {
    if (error.name === 'AbortError' || error instanceof TooLarge) return;
    host.hidden = false;
    host.replaceChildren(h('p', { class: 'note' }, error.message));
  }
}

const mapAddress = (database, design, index) =>
  `/_map#${path(database)}/_design/${encodeURIComponent(design)}/_geo/${encodeURIComponent(index)}`;
