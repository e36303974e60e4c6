// Queries of one database: with a selector, by words, by position, and of a view.
import { get, path } from '../api.js';
import { databaseForm } from '../parts/database-field.js';
import { forgetDatabase, lastDatabase, noteDatabase } from '../parts/database-last.js';
import { emptyState, h, load } from '../view.js';
import { texts } from '../texts.js';

const t = texts.queries;

/**
 * A module exports `make(database, signal, index)`, which returns the content of the page. `index` is the view or index to begin
 * with, as `design/name`, or `null`.
 */
const KINDS = [
  { id: 'mango', title: t.kinds.mango, script: '../parts/query-mango.js' },
  { id: 'text', title: t.kinds.text, script: '../parts/query-text.js' },
  { id: 'geo', title: t.kinds.geo, script: '../parts/query-geo.js' },
  { id: 'view', title: t.kinds.view, script: '../parts/query-view.js' },
];

const address = (database, kind) => `#/queries?${new URLSearchParams({ db: database, kind })}`;

export async function show(host, route, signal) {
  const isNamed = route.query.has('db'), database = isNamed ? route.query.get('db') : lastDatabase();
  const kind = KINDS.find(item => item.id === route.query.get('kind')) || KINDS[0];
  const place = h('div', { class: 'query' });
  host.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, database ? t.titleOf(database) : t.title)),
    databaseForm(database, name => { location.hash = address(name, kind.id); }, signal),
    h('nav', { class: 'tabs', 'aria-label': t.kind }, KINDS.map(item =>
      h('a', { href: address(database, item.id), 'aria-current': item === kind && 'page' }, item.title))),
    place);
  if (!database) {
    host.querySelector('.database-form input').setAttribute('data-search', '');
    return place.replaceChildren(emptyState(t.choose));
  }
  await load(place, async () => {
    await exists(database, isNamed, signal);
    return (await import(kind.script)).make(database, signal, route.query.get('index'));
  }, content => content, signal);
  // The key `/` goes to the first field of the query.
  place.querySelector('form textarea, form input:not([type=checkbox]), form select')?.setAttribute('data-search', '');
}

/** Reads the database; the page begins again without the one that was opened last if that is gone. */
async function exists(database, isNamed, signal) {
  try {
    await get(path(database), { signal });
    noteDatabase(database);
  } catch (error) {
    if (error.status === 404) forgetDatabase(database);
    if (error.status === 404 && !isNamed) dispatchEvent(new HashChangeEvent('hashchange'));
    throw error;
  }
}
