// The indexes of a database that selectors use: their fields, and their deletion.
import { ask, path, swiftDatabase } from '../api.js';
import { button, confirm, h, load, toast } from '../view.js';
import { texts } from '../texts.js';
import { askLimited } from './bounded-read.js';
import { fieldWords } from './query-index.js';
import { sameElsewhere } from './same.js';
import { pagedTable } from './table.js';

const PAGE = 50;
const t = texts.database;

/** Shows the indexes in `host`. `changed()` is called when one was deleted. */
export function indexList(host, { database, mayAdmin, signal }, changed) {
  const address = path(database, '_index');
  const readAll = async () => (await askLimited('GET', address, undefined, { signal })).indexes.filter(index => index.type !== 'special');
  return load(host, async () => {
    const all = await readAll();
    return pagedTable([
      { title: t.indexName, cell: index => h('bdi', null, index.name) },
      { title: t.indexKind, cell: index => t.indexKinds[index.type] || index.type },
      { title: t.indexFields, cell: index => h('code', { class: 'breaks' }, definition(index)) },
      { title: t.designDocument, cell: index => h('a', { href: `#/document/${encodeURIComponent(database)}/${encodeURIComponent(index.ddoc)}` }, h('bdi', null, index.ddoc)) },
      mayAdmin && { title: texts.databases.actions, cell: index => h('div', { class: 'row-buttons' }, button(texts.databases.delete, () => remove(database, index, changed), { class: 'danger-quiet', 'aria-label': t.deleteIndexName(index.name) })) },
    ].filter(Boolean), async cursor => {
      const start = cursor ?? 0, end = start + PAGE;
      return { rows: all.slice(start, end), next: all.length > end ? end : null };
    }, { caption: t.indexes, empty: t.noIndexes });
  }, element => [element, sameElsewhere([{ address }], `${swiftDatabase(database)}\nfor index in try await database.indexes() { print(index.designDocument, index.name) }`)], signal);
}

/** The fields of an index, and the condition of a partial one. */
function definition({ def }) {
  if (!Array.isArray(def?.fields)) return def?.st_index ? String(def.st_index) : JSON.stringify(def);
  if (!def.fields.length) return texts.queries.plan.allFields;
  const partial = def.partial_filter_selector;
  const words = fieldWords(def.fields);
  return partial && Object.keys(partial).length ? t.onlyIf(words, JSON.stringify(partial)) : words;
}

function remove(database, { ddoc, type, name }, changed) {
  confirm(t.deleteIndexTitle(name), t.deleteIndexWarning, texts.databases.delete, async () => {
    await ask('DELETE', path(database, '_index', ddoc.slice('_design/'.length), type, name));
    toast(t.indexDeleted(name));
    changed();
  });
}
