// The columns of a table of documents: chosen from the data, and by the user.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { compact } from './json.js';

/** The number of columns at first, and the maximum number of fields that are offered. */
const COLUMNS = 5, FIELDS_MAX = 40;
/** A text up to the first length stays on one line; one of more than the second is cut. */
const SHORT_CHARACTERS = 30, CELL_CHARACTERS = 160;
const t = texts.database;

/** The names of the fields of documents, the most frequent first. */
export function fieldNames(rows) {
  const counts = new Map();
  for (const row of rows) for (const { key } of row.doc.members) if (!key.startsWith('_')) counts.set(key, (counts.get(key) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, FIELDS_MAX).map(([name]) => name);
}

export const columnsOf = rows => fieldNames(rows).slice(0, COLUMNS);

/** The value of a field in a cell. */
export function cellOf(node) {
  if (!node) return '';
  const isText = node.kind === 'plain' && node.raw.startsWith('"'), text = isText ? JSON.parse(node.raw) : compact(node);
  return h(isText ? 'bdi' : 'code', { class: text.length > SHORT_CHARACTERS ? 'cell-long' : 'cell-short' }, shortText(text));
}

const shortText = text => text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;

/** A part that can be opened, with a check box for each field. `changed(list)` receives the columns. */
export function columnPart(names, columns, changed) {
  return h('details', { class: 'columns' }, h('summary', null, t.columns), h('div', { class: 'column-list' }, names.map(name => {
    const box = h('input', {
      type: 'checkbox', checked: columns.includes(name), onchange: () => {
        columns = box.checked ? [...columns, name] : columns.filter(item => item !== name);
        changed(columns);
      },
    });
    return h('label', { class: 'check' }, box, h('bdi', { class: 'mono' }, name));
  })));
}
