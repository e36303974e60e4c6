// The parts that all kinds of queries use: cells, the JSON of the last page, and texts.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { format } from './json.js';
import { textOf } from './query-nodes.js';

const CELL_LENGTH_MAX = 160;
const JSON_LENGTH_MAX = 200_000;
const t = texts.queries;

/** A node of an answer in a cell of a table. */
export function cell(node) {
  const text = textOf(node);
  return text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX)}…` : text;
}

/** A link to the page of a document. */
export function documentLink(database, id) {
  return h('a', { href: `#/document/${encodeURIComponent(database)}/${encodeURIComponent(id)}`, class: 'mono' }, h('bdi', null, id));
}

/** A part with the JSON of the last page; `set(node)` changes it. */
export function jsonPart() {
  let node = null;
  const pre = h('pre', { tabindex: '0', 'aria-label': t.asJSON });
  const element = h('details', { class: 'same' }, h('summary', null, t.asJSON), pre);
  const draw = () => {
    if (!element.open || !node) return;
    const text = format(node);
    pre.textContent = text.length > JSON_LENGTH_MAX ? `${text.slice(0, JSON_LENGTH_MAX)}\n…` : text;
  };
  element.addEventListener('toggle', draw);
  return { element, set: next => { node = next; draw(); } };
}

/** A form that is submitted with its button or with Control and Enter. */
export function runForm(attributes, run, ...children) {
  const form = h('form', {
    class: 'form', ...attributes,
    onsubmit: event => { event.preventDefault(); run(); },
    onkeydown: event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    },
  }, ...children);
  return form;
}

/** A number between two bounds. */
export function numberInput(value, min, max) {
  return h('input', { type: 'number', value, min, max, step: 1, inputmode: 'numeric' });
}

/** A controller that is aborted with the page; `next()` also aborts the previous request. */
export function runs(signal) {
  let current = new AbortController();
  signal.addEventListener('abort', () => current.abort());
  return { next() { current.abort(); current = new AbortController(); return current.signal; } };
}
