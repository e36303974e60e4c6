// The parts of an answer of a search: highlighted words, groups, and numbers of hits with bars.
import { button, count, emptyState, h } from '../view.js';
import { texts } from '../texts.js';
import { member, valueOf } from './json.js';
import { itemsOf, textOf } from './query-nodes.js';
import { pagedTable, ROWS_MAX } from './table.js';

/** The marks around highlighted words: characters that texts do not have. */
export const START = '\ue000', END = '\ue001';
const FRAGMENTS_MAX = 5;
/** The maximum number of values of a field that are shown. */
const VALUES_MAX = 50;
const t = texts.queries;

/** The highlighted fragments of a hit; words are marked as elements. */
export function fragments(highlights) {
  const list = (highlights?.members || []).flatMap(({ key, node }) => (node.items || []).map(item => ({ key, text: textOf(item) })));
  return h('div', { class: 'fragments' }, list.slice(0, FRAGMENTS_MAX).map(({ key, text }) =>
    h('p', { dir: 'auto', title: key }, text.split(START).flatMap((part, i) => {
      if (i === 0) return [part];
      const [word, ...rest] = part.split(END);
      return [h('mark', null, word), rest.join(END)];
    }))));
}

/** The groups of an answer, each with its hits; at most `ROWS_MAX` hits in all. */
export async function groupsOf(answer, columns) {
  const groups = itemsOf(answer, 'groups');
  if (!groups.length) return [emptyState(t.noResults)];
  const parts = [];
  let left = ROWS_MAX;
  for (const group of groups) {
    if (left <= 0) break;
    const rows = itemsOf(group, 'rows').slice(0, left), by = valueOf(member(group, 'by')), name = by === null ? t.withoutField : String(by);
    left -= rows.length;
    parts.push(h('section', null, h('h2', null, h('bdi', null, name), ' ', h('span', { class: 'tag' }, count(valueOf(member(group, 'total_rows'))))),
      await pagedTable(columns, async () => ({ rows, next: null }), { caption: name, empty: t.noResults })));
  }
  return [...parts, left <= 0 && h('p', { class: 'note' }, t.groupsCut(ROWS_MAX))].filter(Boolean);
}

/** The numbers of hits of each field, as tables with bars. A value of `counts` limits the hits to it: `limit(name, value)`. */
export function numbersOf(answer, limit) {
  return [
    ...(member(answer, 'counts')?.members || []).map(({ key, node }) => bars(key, node, value => limit(key, value))),
    ...(member(answer, 'ranges')?.members || []).map(({ key, node }) => bars(key, node, null)),
  ];
}

function bars(name, node, limit) {
  const list = (node.members || []).map(item => ({ value: item.key, number: valueOf(item.node) }));
  if (limit) list.sort((a, b) => b.number - a.number);
  const most = Math.max(1, ...list.map(item => item.number)), shown = list.slice(0, VALUES_MAX);
  return h('div', { class: 'number-bars' }, h('table', { class: 'bars' },
    h('caption', null, h('bdi', null, name)),
    h('tbody', null, shown.map(({ value, number }) => h('tr', null,
      h('th', { scope: 'row' }, limit ? button(h('bdi', null, value), () => limit(value), { class: 'link', title: t.limitTo }) : h('bdi', null, value)),
      h('td', { class: 'number' }, count(number)), h('td', { class: 'bar-cell', 'aria-hidden': 'true' }, bar(number / most)))))),
  list.length > shown.length && h('p', { class: 'note' }, t.moreValues(count(list.length - shown.length))),
  !list.length && h('p', { class: 'note' }, t.noValues));
}

function bar(part) {
  const element = h('span', { class: 'bar-of' });
  element.style.width = `${Math.round(part * 100)}%`;
  return element;
}
