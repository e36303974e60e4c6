// The list of a design document's functions, in groups; the chosen one is marked.
import { button, h } from '../view.js';
import { texts } from '../texts.js';
import { entries, KINDS, otherMembers, sameAt } from './design-model.js';
import { member, valueOf } from './json.js';
import { ROWS_MAX } from './table.js';

const t = texts.design;

/** The key of what is chosen: that of a function, or `OPTIONS`. */
export const keyOf = path => path.join('/');
export const OPTIONS = '';

/**
 * The list.
 *
 * @param state `{ node, savedNode, chosen }`.
 * @param choose Called with the key of what the user chose.
 */
export function functionList(state, choose) {
  const item = (key, label, isChanged) => h('li', null, button(
    [h('bdi', null, label), isChanged && h('span', { class: 'tag tag-amber' }, t.changed)], () => choose(key), { 'aria-current': key === state.chosen && 'true', class: 'quiet', 'data-key': key }));
  const all = entries(state.node), list = all.slice(0, ROWS_MAX);
  const groups = KINDS.map(kind => [kind, list.filter(entry => entry.kind === kind)]).filter(([, found]) => found.length);
  const others = otherMembers(state.node);
  return [
    ...groups.map(([kind, found]) => h('div', null, h('h2', null, t.groups[kind.id]), h('ul', { class: 'plain-list' }, found.map(entry =>
      item(keyOf(entry.path), entry.name || t.kinds[kind.id], !sameAt(state.node, state.savedNode, entry.path)))))),
    all.length > list.length && h('p', { class: 'note' }, t.functionsLeft(all.length - list.length)),
    list.length === 0 && h('p', { class: 'note' }, t.noFunctions),
    h('div', null, h('h2', null, t.document), h('ul', { class: 'plain-list' },
      item(OPTIONS, t.options, !sameAt(state.node, state.savedNode, ['options'])))),
    others.length > 0 && h('p', { class: 'note' }, t.others(others.join(', '))),
    h('p', { class: 'note' }, t.language(valueOf(member(state.node, 'language')) ?? 'javascript')),
  ].filter(Boolean);
}
