// The permissions of a database: what they mean in words, and the form that changes them.
import { ask, get, path, swiftDatabase } from '../api.js';
import { databaseForm } from './database-field.js';
import { lastDatabase } from './database-last.js';
import { sameElsewhere } from './same.js';
import { swiftLiteral } from './swift-literal.js';
import { entries, isOpen, lines, readersOf, withReaders } from './security-rights.js';
import { actionButton, confirm, field, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const t = texts.security;

export async function permissions(host, route, signal) {
  const database = route.query.get('db') || lastDatabase(), content = h('div', { class: 'stack' });
  const open = name => { location.hash = `#/security/permissions?db=${encodeURIComponent(name)}`; };
  const form = databaseForm(database, open, signal);
  form.querySelector('input').dataset.search = 'true';
  host.replaceChildren(form, content);
  if (!database) return;
  const address = path(database, '_security');
  await load(content, () => get(address, { signal }), object => [
    h('ul', { class: 'plain-list' }, inWords(object).map(text => h('li', null, text))), ...securityForm(database, object)], signal);
}

/** What a security object means. */
function inWords(object) {
  const of = group => [...(group?.names || []), ...(group?.roles || []).map(role => role === '_admin' ? t.administrators : t.role(role))];
  const members = of(object.members), admins = of(object.admins);
  const granted = [...Object.entries(object.cloudant || {}).map(([name, rights]) => [name === 'nobody' ? t.nobody : name, rights]),
    ...Object.entries(object.godwit?.roles || {}).map(([role, rights]) => [t.role(role), rights])];
  return [
    t.mayAdministrate(admins.length ? admins.join(', ') : t.administrators),
    isOpen(object) ? t.everyone : members.length || admins.length ? t.mayReadAndWrite([...new Set([...members, ...admins])].join(', ')) : null,
    ...granted.map(([who, rights]) => t.granted(who, rights.map(right => t.rights[right] || right).join(', '))),
  ].filter(Boolean);
}

function securityForm(database, object) {
  const address = path(database, '_security');
  const area = value => h('textarea', { rows: 2, value, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const groups = [['admins', 'names', t.adminNames], ['admins', 'roles', t.adminRoles], ['members', 'names', t.memberNames], ['members', 'roles', t.memberRoles]]
    .map(([group, kind, label]) => ({ group, kind, label, input: area(lines(object[group]?.[kind])) }));
  const readers = ['names', 'roles'].map(kind => ({ kind, label: kind === 'names' ? t.readerNames : t.readerRoles, input: area(lines(readersOf(object, kind))) }));
  const changed = () => {
    const copy = structuredClone(object);
    for (const { group, kind, input } of groups) {
      if (input.value !== lines(object[group]?.[kind])) (copy[group] ||= {})[kind] = entries(input.value);
    }
    return readers.reduce((result, { kind, input }) => input.value === lines(readersOf(object, kind)) ? result : withReaders(result, kind, entries(input.value)), copy);
  };
  const same = sameElsewhere(() => [{ address }, { method: 'PUT', address, body: changed() }],
    () => `${swiftDatabase(database)}\nprint(try await database.security())\ntry await database.setSecurity(${swiftLiteral(changed())})`);
  const part = (title, note, items) => h('fieldset', { class: 'choice' }, h('legend', null, title), h('p', { class: 'note' }, note),
    h('div', { class: 'form-grid' }, items.map(({ label, input }) => field(label, input))));
  const form = h('form', { class: 'form', onsubmit: event => event.preventDefault(), oninput: () => { if (same.open) same.dispatchEvent(new Event('toggle')); } },
    h('h2', null, t.changeTitle), h('p', { class: 'note' }, t.namesNote),
    part(t.readers, t.readersNote, readers), part(t.members, t.membersNote, groups.slice(2)), part(t.admins, t.adminsNote, groups.slice(0, 2)),
    h('div', { class: 'buttons' }, actionButton(texts.save, () => save(address, object, changed()), { class: 'primary' })));
  return [form, same];
}

/** Asks first if the change opens the database to everyone, or closes one that is open. */
async function save(address, before, after) {
  const store = async () => {
    await ask('PUT', address, after);
    toast(t.saved);
    dispatchEvent(new HashChangeEvent('hashchange'));
  };
  if (isOpen(after) && !isOpen(before)) confirm(t.openTitle, t.openWarning, texts.save, store);
  else if (isOpen(before) && !isOpen(after)) confirm(t.closeTitle, t.closeWarning, texts.save, store);
  else await store();
}
