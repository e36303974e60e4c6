// The databases of an application: the rights in shared ones, the consolidated one, and who reads it.
import { ask, path } from '../api.js';
import { button, confirm, dialog, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { changeApplication, changeForm, readApplication, withChanged, withValue, withValues } from './application-change.js';
import { applicationPath, newPassword } from './application-paths.js';
import { showPassword } from './application-users.js';
import { member } from './json.js';
import { sameElsewhere } from './same.js';

const NAME_PATTERN = '[a-z][a-z0-9_$\\(\\)+\\/\\-]*';
const RIGHTS = ['_reader', '_writer', '_replicator', '_admin'];
const t = texts.applications, d = t.databases;

const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
const link = name => h('a', { href: `#/database/${encodeURIComponent(name)}` }, h('bdi', null, name));
const reload = () => dispatchEvent(new HashChangeEvent('hashchange'));

export async function make(id, signal) {
  const { value } = await readApplication(id, signal), shared = Object.entries(value.shared || {});
  return [
    h('h2', null, d.users), h('p', null, d.usersNote, ' ', h('code', null, value.database.prefix)), h('p', { class: 'note' }, d.contentsNote),
    h('h2', null, t.shared), shared.length ? shared.map(([name, item]) => sharedPart(id, name, item)) : h('p', { class: 'note' }, d.noShared),
    h('div', { class: 'buttons' }, button(t.addShared, () => addShared(id))),
    h('h2', null, t.consolidated), ...consolidatedPart(id, value),
    sameElsewhere([{ address: applicationPath(id) }, ...shared.map(([name]) => ({ address: path(name, '_security') }))]),
  ].flat();
}

// ---- Shared databases

function sharedPart(id, name, item) {
  const isPublic = h('input', { type: 'checkbox', checked: item.public }), rights = rightBoxes(item.rights);
  const roles = grantRows(d.role, item.roles), groups = grantRows(d.group, item.groups);
  const form = changeForm(id, [
    h('fieldset', { class: 'choice' }, h('legend', null, d.all), rights.element, h('label', { class: 'check' }, isPublic, d.public)),
    h('fieldset', { class: 'choice' }, h('legend', null, d.roles), h('p', { class: 'note' }, d.rolesNote), roles.element),
    h('fieldset', { class: 'choice' }, h('legend', null, d.groups), h('p', { class: 'note' }, d.groupsNote), groups.element),
  ], node => withChanged(node, 'shared', all => withChanged(all, name, before => withValues(before, {
    rights: rights.read(), public: isPublic.checked, roles: roles.read(), groups: groups.read(),
  }))), { more: button(d.removeShared, () => removeShared(id, name), { class: 'danger-quiet', 'aria-label': d.removeName(name) }) });
  return h('section', { class: 'stack part', 'aria-label': name }, h('h3', null, link(name)), form);
}

function rightBoxes(given = []) {
  const boxes = RIGHTS.map(right => [right, h('input', { type: 'checkbox', checked: given.includes(right) })]);
  return {
    element: h('div', { class: 'checks' }, boxes.map(([right, box]) => h('label', { class: 'check' }, box, d.rights[right]))),
    // Rights that this page does not know stay.
    read: () => [...boxes.filter(([, box]) => box.checked).map(([right]) => right), ...given.filter(right => !RIGHTS.includes(right))],
  };
}

/** The rights by role or by group: a row for each. `read()` returns an object, or `undefined` without rows. */
function grantRows(label, given = {}) {
  const list = h('div', { class: 'form' }), rows = [];
  const add = (name, rights) => {
    const input = text({ required: true, value: name, pattern: '[^_:][^:]*', title: d.nameNote }), boxes = rightBoxes(rights);
    const row = { input, boxes, element: h('div', { class: 'grant', role: 'group', 'aria-label': label }, field(label, input),
      h('div', { class: 'buttons' }, button(t.remove, () => { rows.splice(rows.indexOf(row), 1); row.element.remove(); more.focus(); })), boxes.element) };
    rows.push(row);
    list.append(row.element);
    return row;
  };
  const more = button(d.addOf(label), () => add('', ['_reader']).input.focus());
  for (const [name, rights] of Object.entries(given)) add(name, rights);
  const read = () => {
    const names = rows.map(({ input }) => input.value.trim()), twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new Error(d.twice(twice));
    return rows.length ? Object.fromEntries(rows.map(({ boxes }, i) => [names[i], boxes.read()])) : undefined;
  };
  return { element: h('div', { class: 'form' }, list, h('div', { class: 'buttons' }, more)), read };
}

function addShared(id) {
  dialog(t.addShared, close => {
    const name = text({ required: true, pattern: NAME_PATTERN, title: t.nameNote, autofocus: true }), rights = rightBoxes(['_reader']), isPublic = h('input', { type: 'checkbox' });
    return changeForm(id, [h('p', { class: 'note' }, d.existing), field(t.databaseName, name, t.nameNote), h('fieldset', { class: 'choice' }, h('legend', null, d.all), rights.element,
      h('label', { class: 'check' }, isPublic, d.public))], node => withChanged(node, 'shared', all => {
      if (member(all, name.value.trim())) throw new Error(d.isShared(name.value.trim()));
      return withValue(all, name.value.trim(), { rights: rights.read(), public: isPublic.checked });
    }), { saved: () => { close(); reload(); }, submit: t.addShared, cancel: close });
  });
}

function removeShared(id, name) {
  confirm(d.removeTitle(name), d.removeWarning, d.removeShared, async () => {
    await changeApplication(id, node => {
      const shared = withValue(member(node, 'shared'), name, undefined);
      return withValue(node, 'shared', shared.members.length ? shared : undefined);
    });
    toast(t.saved);
    reload();
  }, name);
}

// ---- The consolidated database

function consolidatedPart(id, value) {
  if (value.consolidated) {
    return [h('p', null, link(value.consolidated.name), ' ', d.consolidatedNote(`${id}/analyst`)),
      h('div', { class: 'buttons' }, button(d.addAnalyst, () => addAnalyst(id)))];
  }
  const name = text({ required: true, pattern: NAME_PATTERN, title: t.nameNote });
  return [h('p', { class: 'note' }, d.noConsolidated), changeForm(id, h('div', { class: 'narrow' }, field(t.consolidatedName, name, t.consolidatedNote)),
    node => withValue(node, 'consolidated', { name: name.value.trim() }), { submit: t.consolidate })];
}

/** A user of the server who only reads the consolidated database. The password is shown once. */
function addAnalyst(id) {
  dialog(d.addAnalyst, close => {
    const name = text({ required: true, autofocus: true }), refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        const user = name.value.trim(), password = newPassword();
        try {
          await ask('PUT', path('_users', `org.couchdb.user:${user}`), { name: user, type: 'user', roles: [`${id}/analyst`], password });
          close();
          showPassword(user, password);
        } catch (error) {
          refusal.textContent = error.status === 409 ? d.userExists(user) : error.message;
          refusal.hidden = false;
        }
      },
    }, h('p', { class: 'note' }, d.analystNote), field(t.user, name), h('p', { class: 'note' }, t.passwordNote), refusal,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, d.addAnalyst), button(texts.cancel, close)));
  });
}
