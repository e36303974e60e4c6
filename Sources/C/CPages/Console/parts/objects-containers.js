// An account: its figures, its endpoints and its containers.
import { get, send } from '../api.js';
import { button, bytes, confirm, count, field, h, load, moment, toast } from '../view.js';
import { texts } from '../texts.js';
import { accountButtons } from './objects-account-actions.js';
import { formDialog, nameInput } from './objects-form.js';
import { endpoints } from './objects-keys.js';
import { PAGE, accountRoute, listAddress, pageAddress, secondsOf, storagePath } from './objects-paths.js';
import { publicRequest, publicSwitch, readSwitches } from './objects-public.js';
import { quotaBar } from './objects-quota.js';
import { curlPart } from './objects-same.js';
import { pagedTable } from './table.js';

const t = texts.objects;
const ACCEPTED = 202;

/** Shows the account with a name in `host`. */
export async function showAccount(host, name, signal) {
  const facts = h('div', { class: 'stack' }), list = h('div'), buttons = h('div', { class: 'buttons' }), content = h('div', { class: 'stack' });
  const drawFacts = () => load(facts, () => get(accountRoute(name), { signal }), account => {
    buttons.replaceChildren(...accountButtons(account, { changed: drawFacts, removed: () => { if (!signal.aborted) location.hash = pageAddress(); }, signal }));
    if (!content.firstChild) content.append(...parts());
    return factsOf(account);
  }, signal);
  const again = () => { drawFacts(); return drawList(); };
  const drawList = () => load(list, () => table(name, again, signal), element => element, signal);
  const parts = () => [
    h('div', { class: 'head' }, h('h2', null, t.containers), button(t.createContainer, () => create(name, again, signal), { class: 'primary' })), list, curlPart(requests(name))];
  host.replaceChildren(h('p', { class: 'crumbs' }, h('a', { href: pageAddress() }, t.title)),
    h('div', { class: 'head' }, h('h1', null, name), buttons), facts, content);
  await drawFacts();
  if (content.firstChild) await drawList();
}

function factsOf(account) {
  const facts = [
    [t.objects, count(account.objects)], [t.used, bytes(account.bytes)], [t.quota, quotaBar(account)], [t.created, moment(account.created)],
    [t.accessKey, h('code', null, account.access_key)], ...endpoints().map(([title, address]) => [title, h('code', null, address)]),
  ];
  return h('dl', { class: 'facts' }, facts.map(([title, value]) => [h('dt', null, title), h('dd', null, value)]));
}

function requests(name) {
  const container = storagePath(name, 'CONTAINER');
  return [
    { address: accountRoute(name) }, { address: listAddress({ account: name }, { limit: PAGE }) }, { method: 'PUT', address: container },
    publicRequest(container), { method: 'DELETE', address: container },
  ];
}

// ---- Containers

function table(name, again, signal) {
  const read = async cursor => {
    const found = await get(listAddress({ account: name }, { limit: PAGE + 1, marker: cursor ?? undefined }), { signal }), next = found.length > PAGE ? found[PAGE - 1].name : null;
    const rows = found.slice(0, PAGE).map(container => ({ ...container, reading: publicSwitch(name, container.name) }));
    readSwitches(rows.map(row => row.reading), signal);
    return { rows, next };
  };
  return pagedTable([
    { title: t.name, cell: row => h('a', { href: pageAddress(name, row.name) }, h('bdi', null, row.name)) },
    { title: t.objects, isNumber: true, cell: row => count(row.count) },
    { title: t.size, isNumber: true, cell: row => bytes(row.bytes) },
    { title: t.created, cell: row => row.last_modified ? h('span', { class: 'nowrap' }, moment(secondsOf(row.last_modified))) : '' },
    { title: t.everyoneReads, cell: row => row.reading.input },
    { title: t.actions, cell: row => h('div', { class: 'row-buttons' },
      button(t.delete, () => remove(name, row.name, again), { class: 'danger-quiet', 'aria-label': t.deleteName(row.name) })) },
  ], read, { caption: t.containers, empty: t.noContainers });
}

function create(account, again, signal) {
  const name = nameInput();
  formDialog(t.createContainer, [field(t.name, name, t.containerNameNote)], t.createContainer, async () => {
    const response = await send('PUT', storagePath(account, name.value));
    if (response.status === ACCEPTED) throw new Error(t.containerExists(name.value));
    again();
  }, signal);
}

/** Asks before a container is deleted. The server refuses one with objects. */
function remove(account, container, deleted) {
  confirm(t.deleteTitle(container), t.deleteContainerWarning, t.delete, async () => {
    await send('DELETE', storagePath(account, container));
    toast(t.wasDeleted(container));
    deleted();
  });
}
