// The applications: their list, a new one, and one with its users, settings and versions.
import { get, isAdministrator } from '../api.js';
import { applicationPath } from '../parts/application-paths.js';
import { sameElsewhere } from '../parts/same.js';
import { pagedTable } from '../parts/table.js';
import { button, emptyState, h, load } from '../view.js';
import { texts } from '../texts.js';

const PAGE = 25;
const t = texts.applications;

/** The parts of an application: a module exports `make(id, signal)`, which returns the content. */
const TABS = [
  { id: 'users', script: '../parts/application-users.js' },
  { id: 'settings', script: '../parts/application-settings.js' },
  { id: 'databases', script: '../parts/application-databases.js' },
  { id: 'logins', script: '../parts/application-logins.js' },
  { id: 'mail', script: '../parts/application-mail.js' },
  { id: 'versions', script: '../parts/application-versions.js' },
  { id: 'code', script: '../parts/application-code.js' },
];

export async function show(host, route, signal) {
  const [id, user] = route.parts;
  if (!isAdministrator()) return host.replaceChildren(h('h1', null, t.title), emptyState(t.notAllowed));
  if (user !== undefined) return (await import('../parts/application-user.js')).show(host, id, user, signal);
  if (id !== undefined) return showApplication(host, id, route.query.get('tab'), signal);
  if (route.query.has('new')) return (await import('../parts/application-wizard.js')).show(host, route, signal);
  if (route.query.has('created')) return (await import('../parts/application-wizard.js')).showCreated(host, route.query.get('created'), signal);
  const list = h('div', { class: 'query' });
  host.replaceChildren(h('div', { class: 'head' }, h('h1', null, t.title),
    button(t.create, () => { location.hash = '#/applications?new=1'; }, { class: 'primary' })), list);
  await load(list, () => table(signal), element => [element, sameElsewhere([{ address: '/_apps' }])], signal);
}

async function table(signal) {
  const ids = await get('/_apps', { signal });
  const read = async cursor => {
    const start = cursor || 0, page = ids.slice(start, start + PAGE);
    const rows = await Promise.all(page.map(async id => ({ id, ...await get(applicationPath(id), { signal }) })));
    return { rows, next: start + PAGE < ids.length ? start + PAGE : null };
  };
  return pagedTable([
    { title: t.id, cell: row => h('a', { href: `#/applications/${encodeURIComponent(row.id)}` }, row.id) },
    { title: t.prefix, cell: row => h('span', { class: 'mono' }, row.database?.prefix) },
    { title: t.consolidated, cell: row => row.consolidated ? h('a', { href: `#/database/${encodeURIComponent(row.consolidated.name)}` }, row.consolidated.name) : '' },
    { title: t.shared, cell: row => Object.keys(row.shared || {}).join(', ') },
    { title: t.registration, cell: row => t.registrations[row.registration] || row.registration },
  ], read, { caption: t.title, empty: t.none });
}

async function showApplication(host, id, name, signal) {
  const tab = TABS.find(item => item.id === name) || TABS[0], place = h('div', { class: 'query' });
  host.replaceChildren(
    h('p', { class: 'crumbs' }, h('a', { href: '#/applications' }, t.title)), h('h1', null, id),
    h('nav', { class: 'tabs', 'aria-label': t.tabsTitle }, TABS.map(item =>
      h('a', { href: `#/applications/${encodeURIComponent(id)}?tab=${item.id}`, 'aria-current': item === tab && 'page' }, t.tabs[item.id]))),
    place);
  await load(place, async () => (await import(tab.script)).make(id, signal), content => content, signal);
}
