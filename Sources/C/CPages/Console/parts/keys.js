// Keys: `/` goes to the page's search, `?` shows all keys, `g` and a letter go to a page. They can be turned off.
import { byId, dialog, h } from '../view.js';
import { texts } from '../texts.js';

const GOES = { o: '', d: 'databases', q: 'queries', c: 'changes', r: 'replications', b: 'backups', a: 'applications', s: 'security', t: 'settings', l: 'log' };
/** Where the browser stores that the keys are off. */
const STORED = 'godwit-keys', OFF = 'off';

let opened = null, isGoing = false;

/** Whether single characters are shortcuts. Who dictates or hits keys by accident turns them off. */
function areOn() {
  try { return localStorage.getItem(STORED) !== OFF; } catch { return areOnHere; }
}

/** The choice where the browser stores nothing. */
let areOnHere = true;

function turn(isOn) {
  areOnHere = isOn;
  isGoing = false;
  try {
    if (isOn) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, OFF);
  } catch { /* the choice lasts until the page is closed */ }
}

export function showKeys() {
  closePalette();
  opened = dialog(texts.keys.title, () => {
    const box = h('input', { type: 'checkbox', role: 'switch', checked: areOn(), onchange: () => { turn(box.checked); mark(); } });
    const rows = texts.keys.list.map(([key, meaning]) => h('tr', { 'data-is-single': isSingle(key) }, h('th', { scope: 'row' }, h('kbd', null, key)), h('td', null, meaning)));
    const mark = () => rows.forEach(row => row.classList.toggle('key-off', row.hasAttribute('data-is-single') && !box.checked));
    mark();
    return h('div', { class: 'form' }, h('table', { class: 'plain-table' }, rows), h('div', { class: 'field' }, h('label', { class: 'check' }, box, texts.keys.single), h('p', { class: 'note' }, texts.keys.singleNote)));
  });
}

/** Keys such as Tab and Escape are those of the browser, and stay. */
const isSingle = key => key.length === 1 || key.startsWith('g ');

export function closePalette() {
  opened?.close();
  opened = null;
}

function isTyping(target) {
  return target.closest('input, textarea, select, [contenteditable], .CodeMirror, dialog') !== null;
}

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || byId('menu').hidden || !areOn()) return;
  if (isGoing) {
    isGoing = false;
    if (event.key in GOES) location.hash = `#/${GOES[event.key]}`;
    return;
  }
  if (event.key === 'g') isGoing = true;
  else if (event.key === '?') showKeys();
  else if (event.key === '/') {
    const search = byId('main').querySelector('[data-search]');
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select?.();
  }
});
