// The declaration of an application: what it says, the form of its accounts, and its JSON to be changed.
import { ask } from '../api.js';
import { actionButton, button, confirm, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { accountsForm } from './application-accounts.js';
import { readApplication, writeApplication } from './application-change.js';
import { applicationPath } from './application-paths.js';
import { format } from './json.js';
import { isObject, jsonField } from './json-text.js';
import { rawValue } from './query-nodes.js';
import { sameElsewhere } from './same.js';

const t = texts.applications;

export async function make(id, signal) {
  const { node, value } = await readApplication(id, signal);
  const json = jsonField(t.declaration, format(node), {
    rows: 20, note: t.declarationNote, accepts: typed => isObject(typed) ? null : t.notObject,
  });
  const save = async () => {
    const changed = json.node();
    if (changed === undefined) return;
    await writeApplication(id, changed);
    toast(t.saved);
    dispatchEvent(new HashChangeEvent('hashchange'));
  };
  return [facts(value), h('h2', null, t.accounts), accountsForm(id, value),
    h('details', { class: 'same' }, h('summary', null, t.declaration), h('div', { class: 'form same-content' }, json.element,
      h('div', { class: 'buttons' }, actionButton(t.saveDeclaration, save)))),
    h('div', { class: 'buttons' }, button(t.delete, () => remove(id), { class: 'danger-quiet' })),
    sameElsewhere([{ address: applicationPath(id) }, { method: 'PUT', address: applicationPath(id), body: rawValue(node) }])];
}

/** The declaration in words. A database of an application that is only planned is no link yet; `withoutAddress` leaves out what is shown elsewhere. */
export function facts(declaration, { isPlanned = false, withoutAddress = false } = {}) {
  const link = name => isPlanned ? h('bdi', null, name) : h('a', { href: `#/database/${encodeURIComponent(name)}` }, h('bdi', null, name));
  const shared = Object.entries(declaration.shared || {});
  const items = [
    [t.route, !withoutAddress && h('code', null, `${declaration.url || location.origin}${applicationPath(declaration.id)}`)],
    [t.accounts, declaration.users && link(declaration.users)],
    [t.prefix, h('code', null, declaration.database?.prefix)],
    [t.consolidated, declaration.consolidated ? link(declaration.consolidated.name) : isPlanned && t.noConsolidated],
    [t.shared, shared.length > 0 && shared.map(([name, item]) => h('div', null, link(name), ` ${rightsWords(item.rights)}${item.public ? `, ${t.public}` : ''}`))],
    [t.registration, t.registrations[declaration.registration]],
    [t.providers, Object.keys(declaration.providers || {}).join(', ')],
    [t.redirects, (declaration.redirects || []).join(', ')],
    [t.mail, declaration.mail?.server],
  ];
  return h('dl', { class: 'facts' }, items.filter(([, value]) => value).map(([title, value]) => [h('dt', null, title), h('dd', null, value)]));
}

const rightsWords = rights => (rights || []).map(right => t.databases.rights[right] || right).join(', ');

function remove(id) {
  confirm(t.deleteTitle(id), t.deleteWarning, t.delete, async () => {
    await ask('DELETE', applicationPath(id));
    toast(t.wasDeleted(id));
    location.hash = '#/applications';
  }, id);
}
