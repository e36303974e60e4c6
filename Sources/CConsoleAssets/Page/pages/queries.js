// Queries of one database: with a selector, by words, by position, and of a view.
import { get, path } from '../api.js';
import { databaseForm } from '../parts/database-field.js';
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
  const database = route.query.get('db') || '';
  const kind = KINDS.find(item => item.id === route.query.get('kind')) || KINDS[0];
  const place = h('div', { class: 'query' });
  host.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, database ? t.titleOf(database) : t.title)),
    databaseForm(database, name => { location.hash = address(name, kind.id); }, signal),
    h('nav', { class: 'tabs', 'aria-label': t.kind }, KINDS.map(item =>
      h('a', { href: address(database, item.id), 'aria-current': item === kind && 'page' }, item.title))),
    place);
  if (!database) return place.replaceChildren(emptyState(t.choose));
  await load(place, async () => {
    await get(path(database), { signal });
    return (await import(kind.script)).make(database, signal, route.query.get('index'));
  }, content => content, signal);
}
