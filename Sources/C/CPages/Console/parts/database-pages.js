// Reads the documents of a database page by page: by key, or those that a selector finds. Documents are nodes of `json.js`.
import { path, withQuery } from '../api.js';
import { askText, TooLarge } from './bounded-read.js';
import { ID, sortBody } from './database-sort.js';
import { bodyOf, member, Mistake, parse, plain, valueOf } from './json.js';

export const PAGE = 50;
/** The last character: no id with a prefix is behind the prefix and this. */
const LAST = '\u{10ffff}';
/** Design documents have a tab of their own, and follow each other in the order of ids. */
const DESIGN = '_design/', AFTER_DESIGN = '_design0', BEFORE_DESIGN = '_design';
/** The maximum number of requests that look for the documents of a page that is too large as a whole. */
const REQUESTS_MAX = 12;
const EMPTY = { kind: 'object', members: [] };

/** Whether a query reads the page; otherwise the list of all ids does, which has only the order of the ids. */
const isQuery = filter => Boolean(filter.selector || filter.sort && filter.sort.name !== ID);

/** The selector as a node, with the prefix of the ids. */
export function selectorOf(filter) {
  const selector = filter.selector ? parse(filter.selector) : EMPTY;
  if (!filter.prefix) return selector;
  const ids = plain({ _id: { $gte: filter.prefix, $lte: filter.prefix + LAST } });
  return { kind: 'object', members: [{ key: '$and', node: { kind: 'array', items: [selector, ids] } }] };
}

/** The selector as a value, for code. */
export const selectorValue = filter => valueOf(selectorOf(filter));

/**
 * The request for a page.
 *
 * @param filter `{ prefix, selector, sort }`: the texts may be empty, and `sort` is `{ name, isDescending }` or nothing.
 * @param isShort Whether only ids are read.
 */
export function pageRequest(database, filter, cursor, isShort) {
  if (isQuery(filter)) {
    const members = {
      selector: selectorOf(filter), sort: filter.sort ? sortBody(filter.sort) : undefined, limit: PAGE, bookmark: cursor ?? undefined,
      fields: isShort ? ['_id', '_rev'] : undefined,
    };
    return {
      method: 'POST', address: path(database, '_find'), content: bodyOf(members),
      body: { ...members, selector: selectorValue(filter) },
    };
  }
  const isDescending = Boolean(filter.sort?.isDescending), ends = filter.prefix ? [filter.prefix, filter.prefix + LAST] : [];
  if (isDescending) ends.reverse();
  const start = cursor ?? ends[0];
  // One more row than is shown is the cursor of the next page.
  return {
    method: 'GET', address: withQuery(path(database, '_all_docs'), {
      include_docs: isShort ? undefined : true, limit: PAGE + 1, startkey: start === undefined ? undefined : JSON.stringify(start),
      endkey: ends[1] && JSON.stringify(ends[1]), descending: isDescending || undefined,
    }),
  };
}

/**
 * Reads a page: `{ rows, next, warning }` with rows `{ id, rev, doc, isShort }`. A row is short if its document is too large
 * for the page.
 */
export async function readPage(database, filter, cursor, signal) {
  try {
    return await readOnce(database, filter, cursor, false, signal);
  } catch (error) {
    // A document that is too deep to be read is shown as one that is too large.
    if (!(error instanceof TooLarge || error instanceof Mistake)) throw error;
    const found = await readOnce(database, filter, cursor, true, signal);
    await addDocuments(database, found.rows, signal);
    return found;
  }
}

async function readOnce(database, filter, cursor, isShort, signal) {
  const { method, address, body, content } = pageRequest(database, filter, cursor, isShort);
  const answer = parse(await askText(method, address, content ?? body, { signal }));
  if (isQuery(filter)) {
    const rows = member(answer, 'docs').items.map(doc => ({ id: valueOf(member(doc, '_id')), rev: valueOf(member(doc, '_rev')), doc: withoutPasswords(doc), isShort }));
    return { rows, next: rows.length < PAGE ? null : valueOf(member(answer, 'bookmark')), warning: valueOf(member(answer, 'warning')) };
  }
  const all = member(answer, 'rows').items.map(row => ({
    id: valueOf(member(row, 'id')), rev: valueOf(member(member(row, 'value'), 'rev')), doc: documentOf(row), isShort,
  }));
  const next = all.length > PAGE ? all.pop().id : null;
  return withoutDesign(all.filter(row => !row.id.startsWith(DESIGN)), next, { database, filter, isShort, signal });
}

const documentOf = row => member(row, 'doc')?.kind === 'object' ? withoutPasswords(member(row, 'doc')) : EMPTY;

/** The document for a list: the source and the target of a replication without passwords. */
function withoutPasswords(doc) {
  if (!member(doc, 'source') || !member(doc, 'target')) return doc;
  const safe = node => {
    const address = node.kind === 'object' ? member(node, 'url') : node, url = valueOf(address);
    return typeof url === 'string' ? plain(url.replace(/\/\/[^/@]*@/, '//')) : plain('');
  };
  return { ...doc, members: doc.members.map(item => ['source', 'target'].includes(item.key) ? { ...item, node: safe(item.node) } : item) };
}

/** The page, with the next one behind the design documents; a page of only design documents is passed over. */
function withoutDesign(rows, next, { database, filter, isShort, signal }) {
  if (next === null) return { rows, next };
  const isDescending = Boolean(filter.sort?.isDescending);
  const following = !next.startsWith(DESIGN) ? next : isDescending ? BEFORE_DESIGN : AFTER_DESIGN;
  const isBehind = isDescending ? following < filter.prefix : following > filter.prefix + LAST;
  if (filter.prefix && isBehind) return { rows, next: null };
  return rows.length ? { rows, next: following } : readOnce(database, filter, following, isShort, signal);
}

/** Adds the documents to rows of ids, in smaller and smaller parts; what is too large stays short. */
async function addDocuments(database, rows, signal) {
  const address = withQuery(path(database, '_all_docs'), { include_docs: true }), parts = split(rows);
  for (let requests = 0; parts.length && requests < REQUESTS_MAX; requests += 1) {
    const part = parts.shift();
    try {
      const answer = parse(await askText('POST', address, { keys: part.map(row => row.id) }, { signal }));
      member(answer, 'rows').items.forEach((row, i) => {
        Object.assign(part[i], { doc: documentOf(row), isShort: false });
      });
    } catch (error) {
      if (!(error instanceof TooLarge || error instanceof Mistake)) throw error;
      if (part.length > 1) parts.push(...split(part));
    }
  }
}

/** The rows in four parts. */
function split(rows) {
  const size = Math.ceil(rows.length / 4);
  return [0, 1, 2, 3].map(i => rows.slice(i * size, (i + 1) * size)).filter(part => part.length);
}
