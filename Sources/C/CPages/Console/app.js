// Starts the console: the session, the menu, and the page of the address.
import { ask, isAdministrator, session } from './api.js';
import { closePalette, showKeys } from './parts/keys.js';
import { byId, button, emptyState, errorState, field, h, toast } from './view.js';
import { texts } from './texts.js';

/**
 * The console's own pages: the first part of the address after `#/`, the module, and who sees them in the menu. A module
 * exports `show(host, route, signal)`, which fills the element `host`. `route.parts` are the decoded parts of the address
 * after the page's name, and `route.query` its parameters; `signal` is aborted when the page is left. The promise of `show`
 * ends when the page is complete; what it does later runs on its own.
 */
const PAGES = [
  { id: '', title: texts.overview.title, script: './pages/overview.js', isForAdministrators: true },
  { id: 'databases', title: texts.databases.title, script: './pages/databases.js' },
  { id: 'queries', title: texts.queries.title, script: './pages/queries.js' },
  { id: 'changes', title: texts.changes.title, script: './pages/changes.js' },
  { id: 'replications', title: texts.replications.title, script: './pages/replications.js', isForAdministrators: true },
  { id: 'backups', title: texts.backups.title, script: './pages/backups.js', isForAdministrators: true },
  { id: 'applications', title: texts.applications.title, script: './pages/applications.js', isForAdministrators: true },
  { id: 'security', title: texts.security.title, script: './pages/security.js', isForAdministrators: true },
  { id: 'settings', title: texts.settings.title, script: './pages/settings.js', isForAdministrators: true },
  { id: 'log', title: texts.log.title, script: './pages/log.js', isForAdministrators: true },
];

/** Pages that have an address, but are not in the menu. */
const INNER = [
  { id: 'help', title: texts.help.title, script: './pages/help.js' },
  { id: 'database', script: './pages/database.js', menu: 'databases' },
  { id: 'document', script: './pages/document.js', menu: 'databases' },
  { id: 'design', script: './pages/design.js', menu: 'databases' },
];

let leave = new AbortController();

function pages() {
  const own = PAGES.filter(page => !page.isForAdministrators || isAdministrator());
  return [...own, ...session.pages.map(page => ({ ...page, id: `x/${page.id}` }))];
}

// ---- Addresses

function route() {
  const [address, search] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = address.split('/').filter(Boolean).map(part => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  return { id: parts[0] || '', parts: parts.slice(1), query: new URLSearchParams(search || '') };
}

function pageOf(current) {
  if (current.id === 'x') return pages().find(page => page.id === `x/${current.parts[0]}`);
  const known = [...pages(), ...INNER].find(page => page.id === current.id);
  // The first page of other users is the list of databases.
  return known || (current.id === '' ? PAGES[1] : undefined);
}

async function showPage() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  closePalette();
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  const current = route(), page = pageOf(current), host = h('div', { class: 'page' });
  byId('main').replaceChildren(host);
  markMenu(page);
  if (!page) return host.replaceChildren(emptyState(texts.noPage));
  try {
    if (page.title) document.title = `${page.title} · Godwit`;
    const module = await import(page.script);
    // The address of a module's page begins with `x` and the page's name.
    const own = current.id === 'x' ? { ...current, parts: current.parts.slice(1) } : current;
    if (!signal.aborted) await module.show(host, own, signal);
    if (signal.aborted) return;
    const heading = host.querySelector('h1');
    document.title = `${heading?.textContent || page.title} · Godwit`;
    // The link that led here is gone: a reader of the screen continues at the heading.
    if (heading && document.activeElement === document.body) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) host.replaceChildren(errorState(error, showPage));
  }
}

// ---- The frame

function markMenu(page) {
  for (const link of byId('menu').querySelectorAll('a')) {
    const isCurrent = page && link.dataset.page === (page.menu || page.id);
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  setMenu(false);
}

function setMenu(isOpen) {
  byId('menu').classList.toggle('open', isOpen);
  byId('menu-button').setAttribute('aria-expanded', isOpen);
}

function showFrame() {
  const isIn = session.name !== null;
  byId('menu').hidden = byId('menu-button').hidden = !isIn;
  byId('menu').replaceChildren(...(isIn ? pages() : []).map(page =>
    h('a', { href: `#/${page.id}`, 'data-page': page.id }, page.title)));
  byId('who').replaceChildren(...(isIn ? [
    h('span', { class: 'who-name', id: 'who-name', tabindex: '-1' }, session.name),
    h('a', { class: 'frame-link', href: '#/help' }, texts.help.title),
    button(texts.keys.short, showKeys, { class: 'quiet keys-button', title: texts.keys.title, 'aria-label': texts.keys.title }),
    button(texts.logOut, logOut, { class: 'quiet' }),
  ] : []));
}

// ---- Logging in and out

function takeSession(answer) {
  Object.assign(session, { name: null, roles: [], token: null, pages: [] }, answer);
}

function showLogin(words) {
  leave.abort();
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  takeSession({ name: null });
  showFrame();
  document.title = texts.login.title;
  const name = h('input', { autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', required: true });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true });
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: !words }, words);
  const submit = h('button', { class: 'primary' }, texts.login.submit);
  const begin = async attempt => {
    submit.disabled = true;
    refusal.hidden = true;
    try {
      takeSession(await attempt());
      start();
      byId('main').focus({ preventScroll: true });
    } catch (error) {
      refusal.textContent = error.status === 401 ? texts.login.refused : error.message;
      refusal.hidden = false;
      password.select();
    } finally {
      submit.disabled = false;
    }
  };
  const form = h('form', {
    class: 'login form', onsubmit: event => {
      event.preventDefault();
      begin(() => ask('POST', '/_utils/session', { name: name.value, password: password.value }));
    },
  }, h('h1', null, texts.login.title), h('p', { class: 'note' }, texts.login.note), field(texts.login.name, name), field(texts.login.password, password), refusal, h('div', { class: 'buttons' }, submit));
  byId('main').replaceChildren(form);
  name.focus();
  offerPasskey(form.querySelector('.buttons'), begin);
}

/** Adds a button for passkeys if this page can use them. */
async function offerPasskey(host, begin) {
  try {
    const passkeys = await import('/_godwit/passkeys/passkeys.js');
    if (!passkeys.isAvailable()) return;
    host.append(button(texts.login.passkey, () => begin(async () => {
      await passkeys.logIn({ console: true });
      return ask('GET', '/_utils/session');
    })));
  } catch { /* a server without passkeys */ }
}

/** A page that shows what would be lost prevents the event, asks, and calls `again`. */
async function logOut() {
  if (!document.dispatchEvent(new CustomEvent('logging-out', { cancelable: true, detail: { again: logOut } }))) return;
  leave.abort();
  try {
    await ask('DELETE', '/_utils/session');
  } catch (error) {
    toast(texts.notLoggedOut(error.message), 'error');
    return showPage();
  }
  showLogin();
}

function start() {
  showFrame();
  showPage();
}

document.addEventListener('session-ended', () => { if (session.name !== null) showLogin(texts.login.ended); });
byId('skip').addEventListener('click', event => {
  event.preventDefault();
  byId('main').focus();
});
addEventListener('hashchange', () => { if (session.name !== null) showPage(); });
byId('menu-button').addEventListener('click', () => setMenu(!byId('menu').classList.contains('open')));

try {
  const answer = await ask('GET', '/_utils/session');
  takeSession(answer);
  if (session.name === null) showLogin(); else start();
} catch (error) {
  byId('main').replaceChildren(errorState(error, () => location.reload()));
}
