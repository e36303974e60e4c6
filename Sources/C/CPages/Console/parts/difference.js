// The lines that differ between two texts.
import { h } from '../view.js';
import { texts } from '../texts.js';

/** Texts with more different lines than this are shown without a search for the lines they have in common. */
const EDITS_MAX = 800;
/** The lines around a change that are shown, and the maximum number of lines in the page. */
const CONTEXT = 3, LINES_MAX = 600;
const t = texts.difference;

/** The lines of both texts, as `[{ kind, text }]`; `kind` is ` `, `-` for a line of `before` only, or `+` for one of `after` only. */
export function lines(before, after) {
  const a = before.split('\n'), b = after.split('\n');
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [
    ...a.slice(0, start).map(text => ({ kind: ' ', text })),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(text => ({ kind: ' ', text })),
  ];
}

/** The shortest list of edits, by the algorithm of Myers. */
function middle(a, b) {
  const trace = [];
  let furthest = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(a.length + b.length, EDITS_MAX); edits += 1) {
    trace.push(new Map(furthest));
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && furthest.get(k - 1) < furthest.get(k + 1));
      let x = isDown ? furthest.get(k + 1) : furthest.get(k - 1) + 1, y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) { x += 1; y += 1; }
      furthest.set(k, x);
      if (x >= a.length && y >= b.length) return path(a, b, trace);
    }
  }
  return [...a.map(text => ({ kind: '-', text })), ...b.map(text => ({ kind: '+', text }))];
}

function path(a, b, trace) {
  const result = [];
  let x = a.length, y = b.length;
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const furthest = trace[edits], k = x - y;
    const isDown = k === -edits || (k !== edits && furthest.get(k - 1) < furthest.get(k + 1));
    const fromK = isDown ? k + 1 : k - 1, fromX = furthest.get(fromK), fromY = fromX - fromK;
    while (x > fromX && y > fromY && x > 0 && y > 0) { x -= 1; y -= 1; result.push({ kind: ' ', text: a[x] }); }
    if (edits === 0) break;
    if (isDown) { y -= 1; result.push({ kind: '+', text: b[y] }); } else { x -= 1; result.push({ kind: '-', text: a[x] }); }
  }
  return result.reverse();
}

/** How many lines were added and removed, in words. */
export function summary(list) {
  const number = kind => list.filter(line => line.kind === kind).length;
  return t.summary(number('+'), number('-'));
}

/** The lines that changed, each with a few around it. */
export function differenceView(list) {
  const isNear = list.map(() => false);
  list.forEach((line, i) => {
    if (line.kind !== ' ') for (let j = Math.max(0, i - CONTEXT); j <= Math.min(list.length - 1, i + CONTEXT); j += 1) isNear[j] = true;
  });
  const rows = [];
  for (let i = 0; i < list.length && rows.length < LINES_MAX; i += 1) {
    if (isNear[i]) { rows.push(row(list[i])); continue; }
    let last = i;
    while (last + 1 < list.length && !isNear[last + 1]) last += 1;
    rows.push(h('div', { class: 'difference-gap' }, t.gap(last - i + 1)));
    i = last;
  }
  if (rows.length >= LINES_MAX) rows.push(h('div', { class: 'difference-gap' }, t.cut(LINES_MAX)));
  return h('div', { class: 'difference', tabindex: '0', role: 'region', 'aria-label': t.title }, rows);
}

const NAMES = { '-': t.removed, '+': t.added };
const CLASSES = { '-': 'difference-removed', '+': 'difference-added', ' ': '' };

function row(line) {
  return h('div', { class: CLASSES[line.kind] },
    NAMES[line.kind] && h('span', { class: 'hidden' }, NAMES[line.kind]), h('span', { 'aria-hidden': 'true', class: 'difference-sign' }, line.kind), h('span', { dir: 'ltr' }, line.text || ' '));
}

/** Both texts in two columns, line by line. */
export function besideView(list, leftTitle, rightTitle) {
  const pairs = [];
  for (let i = 0; i < list.length;) {
    if (list[i].kind === ' ') { pairs.push([list[i], list[i]]); i += 1; continue; }
    const block = [];
    while (i < list.length && list[i].kind !== ' ') { block.push(list[i]); i += 1; }
    const left = block.filter(line => line.kind === '-'), right = block.filter(line => line.kind === '+');
    for (let j = 0; j < Math.max(left.length, right.length); j += 1) pairs.push([left[j], right[j]]);
  }
  const cell = (line, kind) => h('td', { dir: 'ltr', class: line?.kind === kind ? CLASSES[kind] : !line && 'difference-none' }, line?.text);
  return h('div', { class: 'difference', tabindex: '0', role: 'region', 'aria-label': t.title }, h('table', { class: 'beside' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, leftTitle), h('th', { scope: 'col' }, rightTitle))),
    h('tbody', null, pairs.slice(0, LINES_MAX).map(([left, right]) => h('tr', null, cell(left, '-'), cell(right, '+')))),
    pairs.length > LINES_MAX && h('tfoot', null, h('tr', null, h('td', { colspan: 2 }, t.cut(LINES_MAX))))));
}
