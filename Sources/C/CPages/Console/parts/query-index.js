// Indexes of selectors: with names that can be read, and the one that a query needs.
import { ask, get, path } from '../api.js';
import { actionButton, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { bodyOf, valueOf } from './json.js';
import { askNodes } from './query-nodes.js';

/** The design document of the indexes that the console makes. */
export const DESIGN = 'indexes';
const NAME_CHARACTERS_MAX = 80;
const t = texts.queries;

/** The fields of an index in their order, as `[[name, order]]`. */
export const fieldsOf = fields => fields.map(item => {
  if (typeof item === 'string') return [item, 'asc'];
  const entries = Object.entries(item);
  return entries.length === 1 ? entries[0] : [item.name ?? '', item.type ?? ''];
});

/** The fields in words. */
export const fieldWords = fields => fieldsOf(fields).map(([name, order]) => `${name} ${order}`.trim()).join(', ');

/** A name for an index that has its fields, `by-FIELD-FIELD`, and that no index has: the server replaces an index of the same name. */
export function freeName(indexes, fields) {
  const taken = new Set(indexes.filter(item => item.ddoc === `_design/${DESIGN}`).map(item => item.name));
  const base = `by-${fieldsOf(fields).map(([name, order]) => order === 'desc' ? `${name}-desc` : name).join('-')}`.slice(0, NAME_CHARACTERS_MAX);
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`;
  return name;
}

/** Makes an index of a selector. */
export async function makeIndex(database, index) {
  const { indexes } = await get(path(database, '_index')), name = freeName(indexes, index.fields);
  await ask('POST', path(database, '_index'), { index, ddoc: DESIGN, name, type: 'json' });
  toast(t.plan.indexMade(fieldWords(index.fields)));
}

/** A button that makes an index, with its fields. `done()` is called afterwards. */
export function indexButton(database, index, done) {
  return h('div', { class: 'buttons' }, actionButton(t.plan.makeIndex, async () => {
    await makeIndex(database, index);
    await done();
  }, { class: 'primary' }), h('code', { class: 'breaks' }, fieldWords(index.fields)));
}

/**
 * The warning of a query, and for who may, the button that makes the index which the server advises.
 *
 * @param body The query, whose selector is a node.
 */
export function warningPart(words, { database, mayIndex, signal }, body, done) {
  const host = h('div', { class: 'warning stack' }, h('p', null, words));
  if (mayIndex) advise(host, database, body, done, signal);
  return host;
}

async function advise(host, database, body, done, signal) {
  try {
    const { answer } = await askNodes('POST', path(database, '_explain'), bodyOf(body), { signal });
    const index = valueOf(answer).suggested_index;
    if (index && !signal.aborted) host.append(indexButton(database, index, done));
  } catch { /* the warning stays without a button */ }
}
