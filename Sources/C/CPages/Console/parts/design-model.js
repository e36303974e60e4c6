// A design document as a node of `json.js`: its functions, and changes that leave everything else as it was written.
import { canonical, format, member, plain } from './json.js';

/**
 * The kinds of functions. `key` is the member of the document; `inner` is the member of an entry that has the function, if
 * the entry is an object; `isSingle` is a function without a name. `trial` is the name of the kind for a trial.
 */
export const KINDS = [
  { id: 'view', key: 'views', inner: 'map', trial: 'map' },
  { id: 'filter', key: 'filters', trial: 'filter' },
  { id: 'validation', key: 'validate_doc_update', isSingle: true, trial: 'validate' },
  { id: 'text', key: 'indexes', inner: 'index', trial: 'index' },
  { id: 'places', key: 'st_indexes', inner: 'index', trial: 'geometry' },
  { id: 'update', key: 'updates' },
  { id: 'show', key: 'shows' },
  { id: 'list', key: 'lists' },
  { id: 'rewrite', key: 'rewrites', isSingle: true },
];

/** Members of a document that are shown in another way, or belong to the server. */
const KNOWN = ['language', 'options', ...KINDS.map(kind => kind.key)];

export const isText = node => node?.kind === 'plain' && node.raw.startsWith('"');

export const textOf = node => JSON.parse(node.raw);

/** The functions of a document, as `[{ kind, name, path }]`, in the order of the kinds. */
export function entries(node) {
  return KINDS.flatMap(kind => {
    const found = member(node, kind.key);
    if (!found) return [];
    if (kind.isSingle) return [{ kind, name: '', path: [kind.key] }];
    if (found.kind !== 'object') return [];
    return found.members.filter(item => !isModules(kind, item)).map(item => ({ kind, name: item.key, path: [kind.key, item.key] }));
  });
}

/** `views.lib` has modules, and is no view. */
const isModules = (kind, item) => kind.id === 'view' && item.key === 'lib' && !member(item.node, 'map');

/** The names of members that the page does not show. */
export function otherMembers(node) {
  const modules = member(member(node, 'views'), 'lib');
  return [...node.members.map(item => item.key).filter(key => !KNOWN.includes(key)), ...(modules && !member(modules, 'map') ? ['views.lib'] : [])];
}

/** The path of the function of an entry. */
export const functionPath = entry => entry.kind.inner ? [...entry.path, entry.kind.inner] : entry.path;

export const at = (node, path) => path.reduce((inner, key) => member(inner, key), node);

/** The node with another one at a path; `undefined` removes it, and objects that have no members then, except the outermost. */
export function withAt(node, path, value) {
  const [key, ...rest] = path, object = node?.kind === 'object' ? node : { kind: 'object', members: [] };
  const before = member(object, key);
  const next = rest.length ? withAt(before, rest, value) : value;
  const isGone = next === undefined || (rest.length > 0 && value === undefined && !next.members.length);
  if (isGone) return { kind: 'object', members: object.members.filter(item => item.key !== key) };
  if (before === undefined) return { kind: 'object', members: [...object.members, { key, node: next }] };
  return { kind: 'object', members: object.members.map(item => item.key === key ? { key, node: next } : item) };
}

export const withText = (node, path, text) => withAt(node, path, plain(text));

/** The document with another name of an entry, at its place. */
export function renamed(node, entry, name) {
  const [key, old] = entry.path, object = member(node, key);
  return withAt(node, [key], { kind: 'object', members: object.members.map(item => item.key === old ? { key: name, node: item.node } : item) });
}

export const sameAt = (a, b, path) => canonical(at(a, path)) === canonical(at(b, path));

/** The document as a text in which functions have their lines, to compare two of them. */
export function readable(node) {
  let rest = node;
  const blocks = [];
  const take = path => {
    const found = at(rest, path);
    if (!isText(found) || !textOf(found).includes('\n')) return;
    blocks.push(`${path.join(' / ')}:\n${textOf(found)}`);
    rest = withText(rest, path, '…');
  };
  for (const entry of entries(node)) {
    take(functionPath(entry));
    if (entry.kind.id === 'view') take([...entry.path, 'reduce']);
  }
  return [format(rest), ...blocks].join('\n\n');
}

/** The document's functions with all their texts, to find one in a message. */
export function sources(node) {
  return entries(node).flatMap(entry => [functionPath(entry), [...entry.path, 'reduce']]).map(path => at(node, path)).filter(isText).map(textOf);
}
