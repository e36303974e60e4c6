// Merges several versions of a document: what only one side changed is taken, and the user chooses the rest.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { canonical, format, member } from './json.js';

const t = texts.merge;

/** The maximum number of choices that are shown, and the maximum length of a value in a choice. */
export const CHOICES_MAX = 200;
const VALUE_CHARACTERS = 1200;

/**
 * Compares versions of a value.
 *
 * @param base The node of the common ancestor; `undefined` if it does not have the value, `null` if there is no ancestor.
 * @param sides The nodes of the versions; `undefined` where a version does not have the value.
 * @param choices A list that receives `{ path, options, chosen }` for each value that must be chosen.
 * @returns A part: `{ kind: 'taken', node }`, `{ kind: 'members', members: [[key, part]] }`, or one of the choices.
 */
export function merge(base, sides, choices, path = []) {
  const changed = distinct(sides.filter(side => base === null || canonical(side) !== canonical(base)));
  if (!changed.length) return { kind: 'taken', node: base };
  if (changed.length === 1) return { kind: 'taken', node: changed[0] };
  if (sides.every(side => side?.kind === 'object') && (!base || base.kind === 'object')) {
    const keys = [...new Set([...sides, ...(base ? [base] : [])].flatMap(side => side.members.map(item => item.key)))];
    // Without an ancestor, its members are unknown too.
    const baseOf = key => base === null ? null : member(base, key);
    return { kind: 'members', members: keys.map(key => [key, merge(baseOf(key), sides.map(side => member(side, key)), choices, [...path, key])]) };
  }
  const options = distinct(sides).map(node => ({ node, sides: sides.flatMap((side, i) => canonical(side) === canonical(node) ? [i] : []) }));
  const choice = { kind: 'choice', path, options, chosen: null };
  choices.push(choice);
  return choice;
}

function distinct(nodes) {
  const seen = new Map();
  for (const node of nodes) if (!seen.has(canonical(node))) seen.set(canonical(node), node);
  return [...seen.values()];
}

/** The node of a part with what was chosen; `undefined` if the value is left out. A choice that is open counts as its first option. */
export function resultOf(part) {
  if (part.kind === 'taken') return part.node;
  if (part.kind === 'choice') return part.options[part.chosen ?? 0].node;
  const members = part.members.map(([key, inner]) => ({ key, node: resultOf(inner) })).filter(item => item.node !== undefined);
  return { kind: 'object', members };
}

/** The choices as a form: `names` are the names of the versions, and `changed()` is called after each choice. */
export function choicesView(choices, names, changed) {
  const shown = choices.slice(0, CHOICES_MAX);
  return [
    ...shown.map((choice, number) => h('fieldset', { class: 'merge-choice' },
      h('legend', { class: 'mono' }, choice.path.join(' → ') || t.whole),
      h('div', { class: 'merge-options' }, choice.options.map((option, i) => h('label', { class: 'merge-option' },
        h('span', { class: 'check' },
          h('input', { type: 'radio', name: `merge-choice-${number}`, checked: choice.chosen === i, onchange: () => { choice.chosen = i; changed(); } }),
          h('span', null, t.of(option.sides.map(side => names[side]).join(', ')))),
        option.node === undefined ? h('em', { class: 'note' }, t.absent) : h('pre', { dir: 'ltr' }, shortText(format(option.node)))))))),
    choices.length > shown.length && h('p', { class: 'note' }, t.tooMany(choices.length - shown.length)),
  ];
}

const shortText = text => text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text;
