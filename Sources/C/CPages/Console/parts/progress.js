// The progress of work on many documents, with a button that cancels it, and the list of what was refused.
import { button, count, h } from '../view.js';
import { texts } from '../texts.js';

/** The maximum number of refusals that are listed; all are counted. */
const LISTED_MAX = 100;
/** How often a reader of the screen hears the progress. */
const SPOKEN_MILLISECONDS = 5000;
const t = texts.progress;

/** Shows progress in `host`: `show(part, words)`, where the part is between 0 and 1, or `null` if it is not known. */
export function progressPart(host, label, cancel) {
  const bar = h('progress', { max: 1, 'aria-label': label }), words = h('p', { class: 'note' });
  const spoken = h('p', { class: 'hidden', role: 'status' });
  host.replaceChildren(h('div', { class: 'progress' }, bar, words, spoken, h('div', { class: 'buttons' }, button(texts.cancel, cancel))));
  let last = -Infinity;
  return {
    show(part, text) {
      if (part === null) bar.removeAttribute('value');
      else bar.value = part;
      words.textContent = text;
      if (performance.now() - last < SPOKEN_MILLISECONDS) return;
      last = performance.now();
      spoken.textContent = text;
    },
  };
}

/** Documents that were refused: `add({ line, id, reason })`, `total`, and `element()` for the list. */
export function refusals() {
  const listed = [];
  let total = 0;
  return {
    add(item) {
      total += 1;
      if (listed.length < LISTED_MAX) listed.push(item);
    },
    get total() { return total; },
    element() {
      if (!total) return null;
      const hasLines = listed.some(item => item.line);
      return h('section', { class: 'stack' }, h('h2', null, t.refused(count(total))), total > LISTED_MAX && h('p', { class: 'note' }, t.listed(LISTED_MAX)),
        h('div', { class: 'table-scroll refusal-list', tabindex: '0', role: 'region', 'aria-label': t.refused(count(total)) }, h('table', { class: 'data-table' },
          h('thead', null, h('tr', null, hasLines && h('th', { scope: 'col', class: 'number' }, t.line), h('th', { scope: 'col' }, t.id), h('th', { scope: 'col' }, t.reason))),
          h('tbody', null, listed.map(item => h('tr', null, hasLines && h('td', { class: 'number' }, item.line ? count(item.line) : ''), h('th', { scope: 'row' }, h('bdi', null, item.id ?? '')), h('td', null, item.reason)))))));
    },
  };
}
