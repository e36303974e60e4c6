// The columns of a table of documents: chosen from the data, and by the user. A column is a path, such as `address.city`.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { compact } from './json.js';

/** The number of columns at first, the maximum number of fields that are offered, and the maximum number of names in a path. */
const COLUMNS = 5, FIELDS_MAX = 60, NAMES_MAX = 3;
/** A longer text is cut. */
const CELL_CHARACTERS = 160;
const t = texts.database;

/** A name as part of a path: its dots are escaped, as in a selector. */
const own = name => name.replaceAll('.', '\\.');

/** The fields of documents as `Map(path → { number, depth, isObject })`. */
function fieldsOf(rows) {
  const fields = new Map();
  const read = (node, start, depth) => {
    for (const { key, node: inner } of node.members) {
      if (depth === 0 && key.startsWith('_')) continue;
      const path = start + own(key), isObject = inner.kind === 'object' && inner.members.length > 0;
      const field = fields.get(path) || { number: 0, depth, isObject: true };
      fields.set(path, { ...field, number: field.number + 1, isObject: field.isObject && isObject });
      if (isObject && depth + 1 < NAMES_MAX) read(inner, `${path}.`, depth + 1);
    }
  };
  for (const row of rows) read(row.doc, '', 0);
  return fields;
}

const mostFrequent = fields => [...fields].sort(([, a], [, b]) => b.number - a.number || a.depth - b.depth).map(([path]) => path);

/** The paths of the fields of documents, the most frequent first, and those of members before those of objects in them. */
export const fieldNames = rows => mostFrequent(fieldsOf(rows)).slice(0, FIELDS_MAX);

/** The columns at first: an object is shown by its fields. */
export const columnsOf = rows => mostFrequent([...fieldsOf(rows)].filter(([, field]) => !field.isObject)).slice(0, COLUMNS);

/** The value of a field in a cell. */
export function cellOf(node) {
  if (!node) return '';
  const isText = node.kind === 'plain' && node.raw.startsWith('"'), text = isText ? JSON.parse(node.raw) : compact(node);
  const short = text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;
  return h(isText ? 'bdi' : 'code', { class: 'cell', title: short }, short);
}

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
