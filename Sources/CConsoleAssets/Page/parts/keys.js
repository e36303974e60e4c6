// Keys: `/` goes to the page's search, `?` shows all keys, `g` and a letter go to a page.
import { byId, dialog, h } from '../view.js';
import { texts } from '../texts.js';

const GOES = { o: '', d: 'databases', q: 'queries', c: 'changes', r: 'replications', a: 'applications' };

let opened = null, isGoing = false;

export function showKeys() {
  closePalette();
  opened = dialog(texts.keys.title, () => h('table', { class: 'plain-table' },
    texts.keys.list.map(([key, meaning]) => h('tr', null, h('td', null, h('kbd', null, key)), h('td', null, meaning)))));
}

export function closePalette() {
  opened?.close();
  opened = null;
}

function isTyping(target) {
  return target.closest('input, textarea, select, [contenteditable], .CodeMirror, dialog') !== null;
}

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || byId('menu').hidden) return;
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
