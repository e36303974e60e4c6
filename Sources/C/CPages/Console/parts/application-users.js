// The users of an application, page by page.
import { ask, get, withQuery } from '../api.js';
import { button, dialog, field, h, moment } from '../view.js';
import { texts } from '../texts.js';
import { applicationPath, newPassword, userAddress } from './application-paths.js';
import { block, sameElsewhere } from './same.js';
import { pagedTable } from './table.js';

const PAGE = 50;
const t = texts.applications;

export async function make(id, signal) {
  const read = async cursor => {
    const answer = await get(withQuery(applicationPath(id, 'users'), { limit: PAGE, after: cursor ?? undefined }), { signal });
    return { rows: answer.users, next: answer.next ?? null };
  };
  const table = await pagedTable([
    { title: t.user, cell: row => h('a', { href: userAddress(id, row.name) }, h('bdi', null, row.name)) },
    { title: t.state, cell: row => h('span', { class: `tag ${row.blocked ? 'tag-red' : 'tag-green'}` }, row.blocked ? t.blocked : t.active) },
    { title: t.database, cell: row => h('a', { href: `#/database/${encodeURIComponent(row.database)}` }, row.database) },
    { title: t.roles, cell: row => row.roles.join(', ') },
    { title: t.email, cell: row => h('bdi', null, row.profile.email || '') },
    { title: t.logins, cell: row => [row.has_password && t.password, ...row.providers].filter(Boolean).join(', ') },
    { title: t.since, cell: row => moment(row.created_at / 1000) },
  ], read, { caption: t.tabs.users, empty: t.noUsers });
  return [h('div', { class: 'head' }, byName(id), button(t.createUser, () => createUser(id), { class: 'primary' })), table,
    sameElsewhere([{ address: withQuery(applicationPath(id, 'users'), { limit: PAGE }) }])];
}

function byName(id) {
  const name = h('input', { type: 'search', 'data-search': true, required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  return h('form', {
    class: 'database-form', onsubmit: event => {
      event.preventDefault();
      if (name.value.trim()) location.hash = userAddress(id, name.value.trim());
    },
  }, field(t.userByName, name), h('div', { class: 'buttons' }, h('button', null, t.open)));
}

/** Creates an account with a new password, which is shown once. */
function createUser(id) {
  dialog(t.createUser, close => {
    const name = h('input', { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', autofocus: true });
    const email = h('input', { type: 'email', autocomplete: 'off' });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        const password = newPassword();
        try {
          await ask('PUT', applicationPath(id, 'users', name.value.trim()), { password, ...(email.value && { email: email.value }) });
          close();
          showPassword(name.value.trim(), password, () => { location.hash = userAddress(id, name.value.trim()); });
        } catch (error) {
          refusal.textContent = error.message;
          refusal.hidden = false;
        }
      },
    }, field(t.user, name), field(t.emailOptional, email), h('p', { class: 'note' }, t.passwordNote), refusal,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.createUser), button(texts.cancel, close)));
  });
}

/** Shows a password once. `then` is called when the dialog was closed. */
export function showPassword(name, password, then) {
  const element = dialog(t.passwordOf(name), close => h('div', { class: 'form' },
    h('p', { class: 'warning' }, t.shownOnce), block(t.password, password), h('div', { class: 'buttons' }, button(texts.close, close, { class: 'primary' }))));
  element.addEventListener('close', () => then?.());
}
