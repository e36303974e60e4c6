// Reads many documents of a database, a part at a time: all, those of a list of ids, or those that a filter finds.
import { ask, documentPath, get, path, send, withQuery } from '../api.js';
import { askText, TooLarge } from './bounded-read.js';
import { bodyOf, member, Mistake, parse, valueOf } from './json.js';
import { selectorOf } from './database-pages.js';

/** The numbers of ids of a request, and of documents of the first request and of the largest. */
const IDS = 1000, DOCUMENTS_FIRST = 50, DOCUMENTS_MAX = 500;

/**
 * The ids of a source, in lists.
 *
 * @param source `{ ids }`, or `{ prefix, selector }` as in `database-pages.js`, both of which may be empty: all documents.
 *   `hasDesign` adds design documents to all.
 */
export async function* idPages(database, source, signal) {
  if (source.ids) {
    for (let i = 0; i < source.ids.length; i += IDS) yield source.ids.slice(i, i + IDS);
    return;
  }
  const isWanted = id => source.hasDesign || !id.startsWith('_design/');
  for (let cursor = null;;) {
    const page = await (source.selector ? foundIDs : keyedIDs)(database, source, cursor, signal);
    yield page.ids.filter(isWanted);
    if (page.next === null) return;
    cursor = page.next;
  }
}

async function foundIDs(database, source, cursor, signal) {
  // The selector is a node, whose numbers keep their digits.
  const members = { selector: selectorOf(source), fields: ['_id'], limit: IDS, bookmark: cursor ?? undefined };
  const answer = parse(await askText('POST', path(database, '_find'), bodyOf(members), { signal }));
  const ids = member(answer, 'docs').items.map(doc => valueOf(member(doc, '_id')));
  return { ids, next: ids.length < IDS ? null : valueOf(member(answer, 'bookmark')) };
}

async function keyedIDs(database, { prefix }, cursor, signal) {
  const start = cursor ?? (prefix || undefined);
  const { rows } = await get(withQuery(path(database, '_all_docs'), {
    limit: IDS + 1, startkey: start === undefined ? undefined : JSON.stringify(start), endkey: prefix ? JSON.stringify(`${prefix}\u{10ffff}`) : undefined,
  }), { signal });
  const next = rows.length > IDS ? rows.pop().id : null;
  return { ids: rows.map(row => row.id), next };
}

/** The documents of a source, as lists of nodes of `json.js`. What was deleted meanwhile is left out. */
export async function* documentPages(database, source, signal) {
  let size = DOCUMENTS_FIRST;
  for await (const ids of idPages(database, source, signal)) {
    for (let i = 0; i < ids.length;) {
      const part = ids.slice(i, i + size);
      try {
        yield await readDocuments(database, part, signal);
        i += part.length;
        size = Math.min(size * 2, DOCUMENTS_MAX);
      } catch (error) {
        // A document that is too deep to be read is named.
        if (!(error instanceof TooLarge || error instanceof Mistake)) throw error;
        size = Math.max(1, Math.floor(part.length / 4));
        if (part.length > 1) continue;
        yield await readAlone(database, part[0], signal);
        i += 1;
      }
    }
  }
}

async function readDocuments(database, ids, signal) {
  const address = withQuery(path(database, '_all_docs'), { include_docs: true });
  const answer = parse(await askText('POST', address, { keys: ids }, { signal }));
  return member(answer, 'rows').items.map(row => member(row, 'doc')).filter(doc => doc?.kind === 'object');
}

/** Reads a document that is larger than a page. */
async function readAlone(database, id, signal) {
  try {
    return [parse(await (await send('GET', documentPath(database, id), undefined, { signal })).text())];
  } catch (error) {
    if (error.status === 404) return [];
    throw error instanceof Mistake ? new Error(`${id}: ${error.words}`) : error;
  }
}

/** The number of documents of a source; `null` if only reading them all would tell. */
export async function countOf(database, source, signal) {
  if (source.ids) return source.ids.length;
  if (source.prefix || source.selector) return null;
  return (await get(path(database), { signal })).doc_count;
}

/** The revisions of all leaves of documents, as `[{ id, revisions, isDeleted }]`. */
export async function leavesOf(database, ids, signal) {
  const { results } = await ask('POST', withQuery(path(database, '_changes'), { filter: '_doc_ids', style: 'all_docs' }), { doc_ids: ids }, { signal });
  return results.map(item => ({ id: item.id, revisions: item.changes.map(change => change.rev), isDeleted: Boolean(item.deleted) }));
}
