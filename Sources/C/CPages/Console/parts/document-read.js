// Reads a document and its revisions.
import { documentPath, withQuery } from '../api.js';
import { askText } from './bounded-read.js';
import { fieldsOf, format, member, parse, valueOf } from './json.js';

/** The members of the server that the console reads. */
const META = ['_id', '_rev', '_deleted', '_attachments', '_conflicts', '_revisions'];
/** The maximum number of leaves whose history is asked for. */
const HISTORIES_MAX = 8;

/** The members of the server of a document, as values, with `node`, and `text`, the text of the other fields. */
function described(node) {
  const meta = Object.fromEntries(META.map(key => [key, valueOf(member(node, key))]));
  return { ...meta, node, fields: fieldsOf(node), text: format(fieldsOf(node)) };
}

export const hasLeaves = id => !id.startsWith('_local/');

/** Reads a document, or one of its revisions. */
export async function readDocument(database, id, revision, signal) {
  const query = revision ? { rev: revision } : hasLeaves(id) ? { conflicts: true } : {};
  return described(parse(await askText('GET', withQuery(documentPath(database, id), query), undefined, { signal })));
}

/** Reads the leaves of a document, the winner first. */
export async function readLeaves(database, id, signal) {
  const text = await askText('GET', withQuery(documentPath(database, id), { open_revs: 'all', revs: true }), undefined, { signal });
  const leaves = parse(text).items.map(item => member(item, 'ok')).filter(Boolean).map(described);
  const generation = leaf => leaf._revisions.start;
  return leaves.sort((a, b) => Boolean(a._deleted) - Boolean(b._deleted) || generation(b) - generation(a) || (a._rev < b._rev ? 1 : -1));
}

/** The revisions whose content is not stored any more, among the ancestors of the leaves. */
export async function missingRevisions(database, id, leaves, signal) {
  const missing = new Set(), stored = new Set();
  const histories = await Promise.all(leaves.slice(0, HISTORIES_MAX).map(leaf => history(database, id, leaf._rev, signal)));
  for (const info of histories.flat()) (info.status === 'missing' ? missing : stored).add(info.rev);
  return new Set([...missing].filter(revision => !stored.has(revision)));
}

/** The ancestors of a revision, as `[{ rev, status }]`. */
async function history(database, id, revision, signal) {
  const text = await askText('GET', withQuery(documentPath(database, id), { rev: revision, revs_info: true }), undefined, { signal });
  return JSON.parse(text)._revs_info || [];
}

/** Reads a revision if its content is still stored; `leaf` is one that follows from it. */
export async function storedRevision(database, id, leaf, revision, signal) {
  const infos = await history(database, id, leaf, signal);
  return infos.some(info => info.rev === revision && info.status === 'available') ? readDocument(database, id, revision, signal) : null;
}

/** The last content of a deleted document that is still stored; `null` without one. */
export async function lastContent(database, id, deletion, signal) {
  const infos = await history(database, id, deletion, signal);
  const last = infos.find(info => info.status === 'available');
  return last ? readDocument(database, id, last.rev, signal) : null;
}
