// JSON as text: where a mistake is, and a layout that keeps each number as it was written.
import { texts } from '../texts.js';

const t = texts.json;

/** The maximum depth of arrays and objects. */
const DEPTH_MAX = 500;

const SPACE = /[ \t\n\r]*/y;
/** The characters between escapes are taken together: strings of many megabytes fit into the memory of the expression. */
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** A mistake in JSON: its message is a sentence, with the line and the column; `words` is it without them. `at` is its place in the text. */
export class Mistake extends Error {
  constructor(text, at, words) {
    const before = text.slice(0, at).split('\n');
    super(t.at(words, before.length, before.at(-1).length + 1));
    this.at = at;
    this.words = words;
    this.line = before.length;
    this.column = before.at(-1).length + 1;
  }
}

/**
 * Reads JSON. A node is `{ kind: 'object', members: [{ key, node }] }`, `{ kind: 'array', items }` or `{ kind: 'plain', raw }`,
 * where `raw` is the JSON of a string, number or word: a number of more digits than JavaScript has stays what it is.
 */
export function parse(text) {
  const reader = { text, at: 0 };
  skip(reader);
  const node = value(reader, 0);
  skip(reader);
  if (reader.at < text.length) throw new Mistake(text, reader.at, t.end);
  return node;
}

function skip(reader) { take(reader, SPACE); }

function take(reader, pattern) {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (!found) return null;
  reader.at = pattern.lastIndex;
  return found[0];
}

function value(reader, depth) {
  if (depth > DEPTH_MAX) throw new Mistake(reader.text, reader.at, t.deep);
  const first = reader.text[reader.at];
  if (first === '{') return object(reader, depth);
  if (first === '[') return array(reader, depth);
  const raw = take(reader, first === '"' ? STRING : WORD) ?? take(reader, NUMBER);
  // A string is shown with its characters, not with their numbers.
  if (raw !== null) return { kind: 'plain', raw: first === '"' ? JSON.stringify(JSON.parse(raw)) : raw };
  throw new Mistake(reader.text, reader.at, first === '"' ? t.string : t.value);
}

function object(reader, depth) {
  const members = [], keys = new Set();
  list(reader, '}', t.commaOrBrace, () => {
    const start = reader.at, raw = take(reader, STRING);
    if (raw === null) throw new Mistake(reader.text, start, t.name);
    const key = JSON.parse(raw);
    if (keys.has(key)) throw new Mistake(reader.text, start, t.twice(key));
    keys.add(key);
    skip(reader);
    if (reader.text[reader.at] !== ':') throw new Mistake(reader.text, reader.at, t.colon);
    reader.at += 1;
    skip(reader);
    members.push({ key, node: value(reader, depth + 1) });
  });
  return { kind: 'object', members };
}

function array(reader, depth) {
  const items = [];
  list(reader, ']', t.commaOrBracket, () => items.push(value(reader, depth + 1)));
  return { kind: 'array', items };
}

/** Reads what is between brackets, separated by commas. */
function list(reader, end, words, item) {
  reader.at += 1;
  skip(reader);
  if (reader.text[reader.at] === end) { reader.at += 1; return; }
  for (;;) {
    item();
    skip(reader);
    const next = reader.text[reader.at];
    if (next !== ',' && next !== end) throw new Mistake(reader.text, reader.at, words);
    reader.at += 1;
    if (next === end) return;
    skip(reader);
  }
}

/** The text of a node, in lines. Short arrays of plain values stay on one line. */
export function format(node, indent = '') {
  const inner = `${indent}  `;
  if (node.kind === 'object') {
    if (!node.members.length) return '{}';
    return `{\n${node.members.map(member => `${inner}${JSON.stringify(member.key)}: ${format(member.node, inner)}`).join(',\n')}\n${indent}}`;
  }
  if (node.kind === 'array') {
    if (!node.items.length) return '[]';
    if (node.items.every(item => item.kind === 'plain')) {
      const line = `[${node.items.map(item => item.raw).join(', ')}]`;
      if (line.length < 80) return line;
    }
    return `[\n${node.items.map(item => inner + format(item, inner)).join(',\n')}\n${indent}]`;
  }
  return node.raw;
}

/** The text of a node without spaces. */
export const compact = node => flat(node, members => members);

/** The text of a node without spaces, the members in the order of their names: equal for equal values; empty without a node. */
export const canonical = node => node ? flat(node, sorted) : '';

function flat(node, order) {
  if (node.kind === 'array') return `[${node.items.map(item => flat(item, order)).join(',')}]`;
  if (node.kind !== 'object') return node.raw;
  return `{${order(node.members).map(member => `${JSON.stringify(member.key)}:${flat(member.node, order)}`).join(',')}}`;
}

const sorted = members => [...members].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

/** The body of a request, its members being values or nodes: nodes keep each number as it was written. */
export const bodyOf = members => new Blob([compact({
  kind: 'object', members: Object.entries(members).filter(([, item]) => item !== undefined).map(([key, item]) => ({ key, node: item?.kind ? item : plain(item) })),
})], { type: 'application/json' });

export const plain = something => parse(JSON.stringify(something));

export const member = (node, key) => node?.kind === 'object' ? node.members.find(item => item.key === key)?.node : undefined;

/** The value of a node; numbers become those of JavaScript. */
export const valueOf = node => node === undefined ? undefined : JSON.parse(compact(node));

/** The object with other members in front, and without those of the same names. */
export function withMembers(node, additions) {
  const front = Object.entries(additions).filter(([, item]) => item !== undefined).map(([key, item]) => ({ key, node: item }));
  return { kind: 'object', members: [...front, ...node.members.filter(item => !Object.hasOwn(additions, item.key))] };
}

/** The object without the members that the server adds. Others that begin with `_`, such as `_replication_state`, are part of it. */
export function fieldsOf(node) {
  return { kind: 'object', members: node.members.filter(item => !ADDED.includes(item.key)) };
}

const ADDED = [
  '_id', '_rev', '_attachments', '_deleted', '_conflicts', '_deleted_conflicts', '_revisions', '_revs_info', '_local_seq',
];
