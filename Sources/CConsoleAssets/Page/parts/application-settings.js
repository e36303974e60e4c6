// The declaration of an application: what it says, and its JSON to be changed.
import { ask, get } from '../api.js';
import { actionButton, button, confirm, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { applicationPath } from './application-paths.js';
import { isObject, jsonField } from './json-text.js';
import { sameElsewhere } from './same.js';

const t = texts.applications;

export async function make(id, signal) {
  const declaration = await get(applicationPath(id), { signal });
  const json = jsonField(t.declaration, JSON.stringify(declaration, null, 2), {
    rows: 20, note: t.declarationNote, accepts: value => isObject(value) ? null : t.notObject,
  });
  const save = async () => {
    const changed = json.read();
    if (changed === undefined) return;
    await ask('PUT', applicationPath(id), changed);
    toast(t.saved);
    dispatchEvent(new HashChangeEvent('hashchange'));
  };
  return [summary(declaration), json.element,
    h('div', { class: 'buttons' }, actionButton(texts.save, save, { class: 'primary' }), button(t.delete, () => remove(id), { class: 'danger-quiet' })),
    sameElsewhere([{ address: applicationPath(id) }, { method: 'PUT', address: applicationPath(id), body: declaration }])];
}

/** The declaration in words. */
export function summary(declaration) {
  const link = name => h('a', { href: `#/database/${encodeURIComponent(name)}` }, name);
  const shared = Object.entries(declaration.shared || {});
  const items = [
    [t.route, h('code', null, `${location.origin}${applicationPath(declaration.id)}`)],
    [t.accounts, declaration.users && link(declaration.users)],
    [t.prefix, h('code', null, declaration.database?.prefix)],
    [t.consolidated, declaration.consolidated && link(declaration.consolidated.name)],
    [t.shared, shared.length > 0 && shared.map(([name, item]) => h('div', null, link(name), ` ${(item.rights || []).join(', ')}${item.public ? `, ${t.public}` : ''}`))],
    [t.registration, t.registrations[declaration.registration]],
    [t.providers, Object.keys(declaration.providers || {}).join(', ')],
    [t.redirects, (declaration.redirects || []).join(', ')],
    [t.mail, declaration.mail?.server],
  ];
  return h('dl', { class: 'facts' }, items.filter(([, value]) => value).map(([title, value]) => [h('dt', null, title), h('dd', null, value)]));
}

function remove(id) {
  confirm(t.deleteTitle(id), t.deleteWarning, t.delete, async () => {
    await ask('DELETE', applicationPath(id));
    toast(t.wasDeleted(id));
    location.hash = '#/applications';
  }, id);
}
