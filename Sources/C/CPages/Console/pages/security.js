// Security: who may do what in a database, users of the server, keys, and the audit log.
import { ask, get, path, withQuery } from '../api.js';
import { askLimited, shrinking } from '../parts/bounded-read.js';
import { keys } from '../parts/security-keys.js';
import { permissions } from '../parts/security-permissions.js';
import { entries, lines } from '../parts/security-rights.js';
import { sessions } from '../parts/security-sessions.js';
import { pagedTable } from '../parts/table.js';
import { button, confirm, dialog, emptyState, field, h, load, toast } from '../view.js';
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
