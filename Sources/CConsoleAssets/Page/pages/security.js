// Security: who may do what in a database, users of the server, keys, and the audit log.
import { ask, get, path, withQuery } from '../api.js';
import { askLimited, shrinking } from '../parts/bounded-read.js';
import { block, sameElsewhere } from '../parts/same.js';
import { sessions } from '../parts/security-sessions.js';
import { pagedTable } from '../parts/table.js';
import { actionButton, button, confirm, dialog, emptyState, field, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const PAGE = 50;
const USER = 'org.couchdb.user:';
const t = texts.security;
const TABS = [['permissions', t.permissions, permissions], ['users', t.users, users], ['keys', t.apiKeys, keys], ['sessions', t.sessions, sessions], ['audit', t.audit, audit]];

export async function show(host, route, signal) {
  const current = TABS.find(([id]) => id === route.parts[0]) || TABS[0];
  const content = h('div', { class: 'stack' });
  host.replaceChildren(h('h1', null, t.title), h('nav', { class: 'tabs', 'aria-label': t.title }, TABS.map(([id, title]) =>
    h('a', { href: `#/security/${id}`, 'aria-current': id === current[0] ? 'page' : null }, title))), content);
  await current[2](content, route, signal);
}

// ---- Permissions of a database

async function permissions(host, route, signal) {
  const name = h('input', { value: route.query.get('db') || '', 'data-search': true, autocomplete: 'off', spellcheck: 'false', list: 'security-databases' });
  const names = h('datalist', { id: 'security-databases' }), content = h('div');
  const open = () => { location.hash = `#/security/permissions?db=${encodeURIComponent(name.value.trim())}`; };
  name.addEventListener('input', async () => {
    const found = await get(withQuery('/_all_dbs', { startkey: JSON.stringify(name.value), limit: 10 }), { signal }).catch(() => []);
    names.replaceChildren(...found.map(value => h('option', { value })));
  });
  host.replaceChildren(h('form', { class: 'form', onsubmit: event => { event.preventDefault(); open(); } },
    field(t.database, name), names, h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.show))), content);
  const database = route.query.get('db');
  if (!database) return;
  const address = path(database, '_security');
  await load(content, () => get(address, { signal }), object => [
    h('ul', { class: 'plain-list' }, inWords(object).map(text => h('li', null, text))), securityForm(address, object), sameElsewhere([{ address }])], signal);
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

/** Whether everyone may read and write: nothing names who may. */
const isOpen = object => !object.cloudant && !object.godwit?.roles && !object.members?.names?.length && !object.members?.roles?.length;

function securityForm(address, object) {
  const inputs = [];
  const list = (group, kind, label) => {
    const input = h('textarea', { rows: 2, value: lines(object[group]?.[kind]), autocomplete: 'off', spellcheck: 'false' });
    inputs.push({ group, kind, input });
    return field(label, input);
  };
  const form = h('form', { class: 'form', onsubmit: event => event.preventDefault() },
    h('h2', null, t.changeTitle), h('p', { class: 'note' }, t.onePerLine),
    list('admins', 'names', t.adminNames), list('admins', 'roles', t.adminRoles), list('members', 'names', t.memberNames), list('members', 'roles', t.memberRoles));
  const store = async changed => {
    await ask('PUT', address, changed);
    toast(t.saved);
    dispatchEvent(new HashChangeEvent('hashchange'));
  };
  form.append(h('div', { class: 'buttons' }, actionButton(texts.save, async () => {
    const changed = structuredClone(object);
    for (const { group, kind, input } of inputs) {
      if (input.value !== lines(object[group]?.[kind])) (changed[group] ||= {})[kind] = entries(input.value);
    }
    if (isOpen(changed) && !isOpen(object)) confirm(t.openTitle, t.openWarning, texts.save, () => store(changed));
    else await store(changed);
  }, { class: 'primary' })));
  return form;
}

/** Names or roles, one in a line: they may contain commas and spaces. */
const lines = list => (list || []).join('\n');
const entries = text => text.split('\n').map(line => line.trim()).filter(Boolean);

// ---- Users of the server

async function users(host, route, signal) {
  const list = h('div');
  host.replaceChildren(h('div', { class: 'head' }, h('p', { class: 'note' }, t.usersNote), button(t.addUser, () => editUser(null, again), { class: 'primary' })), list);
  const read = async cursor => {
    const page = size => askLimited('GET', withQuery('/_users/_all_docs', {
      include_docs: true, limit: size + 1, startkey: JSON.stringify(cursor || USER), endkey: JSON.stringify(`${USER}\ufff0`),
    }), undefined, { signal }).then(answer => ({ next: answer.rows.length > size ? answer.rows.pop().id : null, rows: answer.rows.map(row => row.doc) }));
    // Users write to their own documents, so some may be large.
    return shrinking([PAGE, 5, 1], page);
  };
  const again = () => load(list, () => pagedTable([
    { title: t.name, cell: user => user.name },
    { title: t.roles, cell: user => (user.roles || []).join(', ') },
    { title: t.actions, cell: user => h('div', { class: 'row-buttons' },
      button(t.change, () => editUser(user, again), { 'aria-label': t.changeUser(user.name) }),
      button(t.delete, () => confirm(t.deleteUser(user.name), t.deleteUserNote, t.delete, async () => {
        await ask('DELETE', withQuery(path('_users', user._id), { rev: user._rev }));
        again();
      }), { class: 'danger-quiet', 'aria-label': t.deleteUser(user.name) })) },
  ], read, { caption: t.users, empty: t.noUsers }), element => element, signal);
  await again();
}

function editUser(user, again) {
  dialog(user ? t.changeUser(user.name) : t.addUser, close => {
    const name = h('input', { value: user?.name || '', required: true, disabled: Boolean(user), autocomplete: 'off', spellcheck: 'false' });
    const password = h('input', { type: 'password', autocomplete: 'new-password', required: !user });
    const roles = h('textarea', { rows: 3, value: lines(user?.roles), autocomplete: 'off', spellcheck: 'false' });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        const body = { ...(user || { type: 'user', name: name.value }), roles: entries(roles.value) };
        if (password.value) body.password = password.value;
        try {
          await ask('PUT', path('_users', USER + name.value), body);
          close();
          again();
        } catch (error) {
          refusal.textContent = error.message;
          refusal.hidden = false;
        }
      },
    }, field(t.name, name), field(t.password, password, user ? t.passwordNote : null), field(t.roles, roles, t.onePerLine), refusal,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, texts.save), button(texts.cancel, close)));
  });
}

// ---- API keys

async function keys(host) {
  const result = h('div');
  host.replaceChildren(h('p', { class: 'note' }, t.keysNote), h('div', { class: 'buttons' }, actionButton(t.makeKey, async () => {
    const answer = await ask('POST', '/_api/v2/api_keys', {});
    result.replaceChildren(h('p', { class: 'warning', role: 'status' }, t.shownOnce), block(t.key, answer.key), block(t.password, answer.password));
  }, { class: 'primary' })), result, sameElsewhere([{ method: 'POST', address: '/_api/v2/api_keys', body: {} }]));
}

// ---- The audit log

async function audit(host, route, signal) {
  const content = h('div');
  host.replaceChildren(h('p', { class: 'note' }, t.auditNote), content);
  const read = async cursor => {
    const answer = await get(withQuery('/_audit/_all_docs', {
      include_docs: true, descending: true, limit: PAGE + 1, startkey: cursor === null ? undefined : JSON.stringify(cursor),
    }), { signal });
    const next = answer.rows.length > PAGE ? answer.rows.pop().id : null;
    return { rows: answer.rows.map(row => row.doc).filter(doc => !doc._id.startsWith('_')), next };
  };
  await load(content, async () => {
    try {
      return await pagedTable(['time', 'event', 'user', 'address', 'detail'].map(name => ({ title: t.auditColumns[name], cell: doc => auditCell(doc, name) })), read, { caption: t.audit, empty: t.noEvents });
    } catch (error) {
      if (error.status !== 404) throw error;
      return emptyState(t.noAudit);
    }
  }, element => element, signal);
}

function auditCell(doc, name) {
  if (name === 'user') return doc.by ?? doc.name ?? '';
  if (name !== 'detail') return String(doc[name] ?? '');
  const rest = Object.entries(doc).filter(([key]) => !key.startsWith('_') && !['time', 'event', 'by', 'name', 'address'].includes(key));
  return rest.map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');
}
