// JSON that a user types: a mistake is shown with its line and column.
import { field, h } from '../view.js';
import { Mistake, parse } from './json.js';

let number = 0;

/**
 * A labelled area for JSON. `read()` returns the value, `undefined` for an empty text, and throws after it has shown a
 * mistake; `node()` returns it as a node of `json.js`, whose numbers keep their digits. `accepts(value)` returns words if the
 * value has the wrong type.
 */
export function jsonField(label, text, { rows = 3, note, accepts } = {}) {
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
  refusal.id = `refusal-${number += 1}`;
  const area = h('textarea', {
    'aria-describedby': refusal.id, rows, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'none', value: text });
  const refuse = (words, offset) => {
    refusal.textContent = words;
    refusal.hidden = false;
    area.setAttribute('aria-invalid', 'true');
    if (offset !== undefined) area.setSelectionRange(offset, Math.min(offset + 1, area.value.length));
  };
  const accept = () => {
    refusal.hidden = true;
    area.removeAttribute('aria-invalid');
  };
  const read = ({ isFocused = true } = {}) => {
    accept();
    if (!area.value.trim()) return undefined;
    let words = null, offset;
    try {
      parse(area.value);
      words = accepts?.(JSON.parse(area.value)) || null;
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      words = error.message;
      offset = error.at;
    }
    if (words === null) return JSON.parse(area.value);
    if (isFocused) area.focus();
    refuse(words, isFocused ? offset : undefined);
    throw new JSONMistake(words);
  };
  const node = () => read() === undefined ? undefined : parse(area.value);
  area.addEventListener('input', accept);
  area.addEventListener('change', () => { try { read({ isFocused: false }); } catch { /* shown */ } });
  return { element: h('div', { class: 'json-field' }, field(label, area, note), refusal), area, read, node };
}

/** A mistake that its field shows already. */
export class JSONMistake extends Error {}

export const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
