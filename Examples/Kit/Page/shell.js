// The frame of a device's page: the screens by address, the state of the device, and what is shown above every screen.
import { announce, byId, h, icon, iconButton, spinner, stateBox, toast } from './elements.js';
import { showStart } from './screens-start.js';
import { connect, onChange, store } from './state.js';
import { texts } from './texts.js';

/**
 * The screens by the first part of the address; the first one has the name ''. A screen fills the element `host`, and returns
 * `{ title, update, leave, route }`: `update(state)` is called after each change of the state, `leave()` when another screen
 * is shown, and `route(parts)`, if it exists, in place of both when only later parts of the address change.
 */
let screens = {};
/** Called after each change of the state, before the screen; `isReady` if the device shows its screens. */
let stateChanged = () => {};

let screen = null, key = null, dismissed = null, wasLost = false;

/** The decoded parts of the address. */
function route() {
  return location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(part => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
}

function keyOf(parts) {
  if (store.connection === 'refused') return 'refused';
  if (!store.state) return store.connection === 'lost' ? 'lost' : 'starting';
  return store.state.stage === 'ready' ? `ready/${parts[0] || ''}` : store.state.stage;
}

function refusedScreen(host) {
  host.append(h('div', { class: 'plain-screen' },
    stateBox('warning', texts.connection.refusedTitle, texts.connection.refused, h('p', { class: 'note' }, texts.connection.refusedMore))));
  return { title: texts.connection.refusedTitle };
}

function startingScreen(host) {
  host.append(h('div', { class: 'plain-screen' }, h('p', { class: 'wait' }, spinner(), texts.connection.starting)));
  return { title: texts.name };
}

function screenFor(name, parts) {
  if (name === 'refused') return refusedScreen;
  if (name === 'starting' || name === 'lost') return startingScreen;
  if (!name.startsWith('ready/')) return host => showStart(host, store.state);
  return host => (screens[parts[0] || ''] || screens[''])(host, parts.slice(1), store.state);
}

/** Shows the screen of the address and the state, or updates the one that is shown. */
function show() {
  const parts = route(), newKey = keyOf(parts);
  if (newKey === key && screen) {
    if (store.state) screen.update?.(store.state);
    return;
  }
  screen?.leave?.();
  const isFirst = key === null || key === 'starting';
  key = newKey;
  const host = h('main', { class: 'screen', tabindex: '-1' });
  byId('app').replaceChildren(host);
  screen = screenFor(newKey, parts)(host);
  setTitle();
  // The focus went with the screen before; a screen that began elsewhere keeps its own.
  if (!host.contains(document.activeElement)) (host.querySelector('[data-first]') || host).focus({ preventScroll: true });
  if (!isFirst) announce(screen.title);
  if (store.state) screen.update?.(store.state);
}

function setTitle() { document.title = screen.title === texts.name ? texts.name : `${screen.title} · ${texts.name}`; }

addEventListener('hashchange', () => {
  const parts = route();
  if (screen?.route && keyOf(parts) === key) {
    screen.route(parts.slice(1));
    setTitle();
  } else show();
});

// ---- What is above every screen

function notice(kind, text, action) {
  return h('div', { class: `notice notice-${kind}`, role: kind === 'alert' ? 'alert' : 'status' },
    kind === 'alert' ? spinner() : icon('info'), h('p', { dir: 'auto' }, text), action);
}

let noticesKey = '';
function showNotices() {
  const isLost = store.connection === 'lost', given = store.state?.notice;
  const text = given ? `${given.kind}: ${given.message}` : null;
  const isShown = given && text !== dismissed && store.connection === 'open';
  const newKey = `${isLost} ${isShown ? text : ''}`;
  if (newKey === noticesKey) return;
  noticesKey = newKey;
  byId('notices').replaceChildren(...[
    isLost && notice('alert', texts.connection.lost),
    isShown && notice('info', given.message, iconButton('close', texts.close, () => { dismissed = text; showNotices(); }, { class: 'round plain' })),
  ].filter(Boolean));
}

function onState() {
  const { state, connection } = store;
  const isReady = connection === 'open' && state?.stage === 'ready';
  showNotices();
  if (wasLost && connection === 'open') toast(texts.connection.back);
  wasLost = connection === 'lost';
  stateChanged(state, isReady);
  show();
}

/** Starts the page. */
export function startPage(newScreens, onStateChange) {
  screens = newScreens;
  stateChanged = onStateChange;
  onChange(onState);
  show();
  connect();
}
