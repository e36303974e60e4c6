// Answers as nodes of `json.js`: each number stays as the server sent it.
import { texts } from '../texts.js';
import { askText } from './bounded-read.js';
import { compact, member, parse, plain } from './json.js';
import { swiftText } from './swift-literal.js';

/** Sends a request, and returns `{ answer, milliseconds }` of a response of a limited length; the answer is a node. */
export async function askNodes(method, address, body, options) {
  const start = performance.now(), text = await askText(method, address, body, { tooLarge: texts.queries.tooLarge, ...options });
  return { answer: parse(text), milliseconds: Math.round(performance.now() - start) };
}

/** The items of a member that is a list. */
export const itemsOf = (node, key) => member(node, key)?.items || [];

/** The text of a node: a string without its quotes, JSON otherwise; empty without a node. */
export function textOf(node) {
  if (!node) return '';
  return node.kind === 'plain' && node.raw.startsWith('"') ? JSON.parse(node.raw) : compact(node);
}

/** The member at a path whose names are separated by dots; a dot in a name is escaped. */
export function memberAt(node, name) {
  return member(node, name) ?? name.split(/(?<!\\)\./).reduce((inner, part) => member(inner, part.replaceAll('\\.', '.')), node);
}

/** A node as a value, for `JSON.stringify`: numbers keep their digits in browsers that can do that. */
export function rawValue(node) {
  if (node.kind === 'array') return node.items.map(rawValue);
  if (node.kind === 'object') return Object.fromEntries(node.members.map(item => [item.key, rawValue(item.node)]));
  const value = JSON.parse(node.raw);
  return typeof value === 'number' && JSON.stringify(value) !== node.raw && JSON.rawJSON ? JSON.rawJSON(node.raw) : value;
}

/** A node as a literal of Swift. */
export function swiftNode(node) {
  if (node.kind === 'array') return `[${node.items.map(swiftNode).join(', ')}]`;
  if (node.kind === 'object') {
    const members = node.members.map(item => `${swiftText(item.key)}: ${swiftNode(item.node)}`);
    return members.length ? `[${members.join(', ')}]` : '[:]';
  }
  if (node.raw === 'null') return '.null';
  return node.raw.startsWith('"') ? swiftText(JSON.parse(node.raw)) : node.raw;
}

/** The node with a member in place of one of the same name, or behind the others. */
export function withMember(node, key, value) {
  const added = { key, node: value?.kind ? value : plain(value) };
  const isThere = node.members.some(item => item.key === key);
  return { kind: 'object', members: isThere ? node.members.map(item => item.key === key ? added : item) : [...node.members, added] };
}
