// Makes documents from the records of a file, as `godwit import` does: the id, and the JSON that is sent.
import { texts } from '../texts.js';
import { byteLength } from './bulk-write.js';
import { canonical as exact, compact, member, Mistake, parse, plain, valueOf, withMembers } from './json.js';
import { sha256 } from './sha256.js';

/** Members about revisions in the database from which a document came. */
const METADATA = ['_rev', '_revisions', '_revs_info', '_conflicts', '_deleted_conflicts', '_local_seq'];
/** Those of them that a document with its revision keeps. */
const REVISIONS = ['_rev', '_revisions'];
const GEOMETRIES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'];
/** The digits of an id that is derived from the content: 128 bits. */
const ID_DIGITS = 32;
/** The maximum number of columns of a table. */
const COLUMNS_MAX = 10_000;
const encoder = new TextEncoder();
const t = texts.importing;

/** A record that cannot be imported; the others are. */
export class Refused extends Error {
  constructor(reason, id) {
    super(reason);
    this.id = id;
  }
}

// ---- Texts of JSON

/** Reads a record, whose mistake is named with its line in the file. */
function nodeOf(text, line) {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw new Refused(t.mistake(error.words, line + error.line - 1, error.column));
  }
}

function objectOf(text, line) {
  const node = nodeOf(text, line);
  if (node.kind !== 'object') throw new Refused(t.noObject);
  return node;
}

/** RFC 8785: equal for equal documents. */
function canonical(node) {
  if (node.kind === 'array') return `[${node.items.map(canonical).join(',')}]`;
  if (node.kind === 'object') {
    return `{${[...node.members].sort((a, b) => (a.key < b.key ? -1 : 1)).map(item => `${JSON.stringify(item.key)}:${canonical(item.node)}`).join(',')}}`;
  }
  return /^-?\d+[.eE]/.test(node.raw) ? JSON.stringify(Number(node.raw)) : node.raw;
}

const derivedID = node => sha256(encoder.encode(canonical(node))).slice(0, ID_DIGITS);

/** The fields of a document in a form that is equal for equal content, all digits included; `null` with attachments, whose bytes are not compared. */
export const contentOf = node => member(node, '_attachments') ? null : exact(without(node, ['_id', '_rev']));

/** The same of a text of JSON; `null` too for a text that only the server can read, such as one with a name twice. */
export function contentOfText(text) {
  try {
    return contentOf(parse(text));
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return null;
  }
}

/** A number as an id is a text; `null` for other values. */
function idOf(node) {
  const value = valueOf(node);
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return null;
  return /[.eE]/.test(node.raw) ? String(value) : node.raw;
}

const without = (node, names) => ({ kind: 'object', members: node.members.filter(item => !names.includes(item.key)) });

/** `{ id, text, isDerived }` of a document without an id. */
function withID(node, id) {
  const own = id ?? derivedID(node);
  return { id: own, text: compact(withMembers(node, { _id: plain(own) })), isDerived: id === null };
}

// ---- Documents

/**
 * The document of a text of JSON. What needs no other members is sent as it was written.
 *
 * @param keepsRevisions Whether the document keeps `_rev`.
 */
export function documentOf({ text, line, kind }, keepsRevisions) {
  if (kind === 'row') return documentOf({ text: rowDocument(text, line), line, kind: 'document' }, keepsRevisions);
  let value;
  try { value = JSON.parse(text); } catch { nodeOf(text, line); throw new Refused(t.noObject); }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Refused(t.noObject);
  const has = name => Object.hasOwn(value, name);
  if (has('_id') && typeof value._id !== 'string') throw new Refused(t.idNoText);
  if (keepsRevisions) checkRevision(value); else checkContent(value);
  const dropped = [...METADATA.filter(name => !(keepsRevisions && REVISIONS.includes(name))), ...(keepsRevisions ? [] : ['_deleted'])];
  if (has('_id') && !dropped.some(has)) return { id: value._id, text };
  const node = without(objectOf(text, line), dropped);
  if (has('_id')) return { id: value._id, text: compact(node) };
  return withID(without(node, []), null);
}

/** The document in a row of `_all_docs`, a view or `_bulk_get`. */
function rowDocument(text, line) {
  const doc = member(objectOf(text, line), 'doc');
  if (doc?.kind !== 'object') throw new Refused(t.rowWithoutDocument);
  return compact(doc);
}

function checkRevision(value) {
  if (value._id === undefined || (typeof value._rev !== 'string' && !value._revisions)) throw new Refused(t.noRevision, value._id);
}

function checkContent(value) {
  if (value._deleted === true) throw new Refused(t.isDeletion, value._id);
  const name = Object.keys(value._attachments || {}).find(key => typeof value._attachments[key]?.data !== 'string');
  if (name !== undefined) throw new Refused(t.noData(name), value._id);
}

/** The document of a feature of GeoJSON, or of a geometry alone. */
export function featureOf({ text, line }) {
  const read = objectOf(text, line), type = valueOf(member(read, 'type'));
  const feature = GEOMETRIES.includes(type) ? { kind: 'object', members: [{ key: 'type', node: plain('Feature') }, { key: 'geometry', node: read }, { key: 'properties', node: plain({}) }] } : read;
  if (feature === read && type !== 'Feature') throw new Refused(t.noFeature);
  const geometry = member(feature, 'geometry');
  if (geometry && geometry.kind !== 'object' && geometry.raw !== 'null') throw new Refused(t.noGeometry);
  const named = member(feature, '_id') || member(feature, 'id');
  const id = named && named.raw !== 'null' ? idOf(named) : undefined;
  if (id === null) throw new Refused(t.idNoText);
  return withID(without(feature, ['_id', '_rev', 'id']), id ?? null);
}

// ---- Rows of a table

/**
 * The columns of a table, from its first row.
 *
 * @param names `{ latitude, longitude, id }`: names of columns; an empty one is searched for.
 */
export function columnsOf(header, names) {
  const columns = header.map(cell => cell.text.trim());
  if (columns.length > COLUMNS_MAX) throw new Refused(t.tooManyColumns(COLUMNS_MAX));
  const twice = columns.find((name, i) => name && columns.indexOf(name) !== i);
  if (twice !== undefined) throw new Refused(t.sameColumn(twice));
  const find = (asked, usual) => {
    if (asked && !columns.includes(asked)) throw new Refused(t.noColumn(asked));
    const lower = columns.map(name => name.toLowerCase());
    return asked ? columns.indexOf(asked) : usual.map(name => lower.indexOf(name)).find(i => i >= 0) ?? -1;
  };
  const latitude = find(names.latitude, ['latitude', 'lat', 'y']), longitude = find(names.longitude, ['longitude', 'lon', 'lng', 'long', 'x']);
  // A table without places has plain documents; one of two columns that the user names alone is a mistake.
  const hasPlaces = latitude >= 0 && longitude >= 0;
  if (!hasPlaces && (names.latitude || names.longitude)) throw new Refused(t.noCoordinates);
  return { columns, hasPlaces, latitude, longitude, id: find(names.id, ['_id', 'id']), keepsID: Boolean(names.id) };
}

/** The document of a row: a feature at a point, or without a geometry; in a table without places, the columns are its members. */
export function rowOf(fields, { columns, hasPlaces, latitude, longitude, id, keepsID }) {
  if (fields.length !== columns.length) throw new Refused(t.fieldCount(fields.length, columns.length));
  const isPlace = i => hasPlaces && (i === latitude || i === longitude);
  const members = columns.map((key, i) => ({ key, node: isPlace(i) || (i === id && !keepsID) || !key ? undefined : cell(fields[i]) })).filter(item => item.node);
  const own = id >= 0 ? fields[id].text : null;
  if (own === '') throw new Refused(t.emptyID);
  if (!hasPlaces) return withID({ kind: 'object', members: members.filter(item => item.key !== '_id') }, own);
  return withID({ kind: 'object', members: [
    { key: 'type', node: plain('Feature') },
    { key: 'geometry', node: point(fields[latitude].text.trim(), fields[longitude].text.trim()) },
    { key: 'properties', node: { kind: 'object', members } },
  ] }, own);
}

/** A number if the field is one of JSON without quotes; nothing for an empty field. */
function cell({ text, isQuoted }) {
  if (!isQuoted && !text) return undefined;
  return !isQuoted && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? { kind: 'plain', raw: text } : plain(text);
}

function point(latitudeText, longitudeText) {
  if (!latitudeText && !longitudeText) return plain(null);
  const [latitude, longitude] = [latitudeText, longitudeText].map(text => text ? Number(text) : NaN);
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) throw new Refused(t.noDegrees(latitudeText.slice(0, 40), longitudeText.slice(0, 40)));
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw new Refused(t.beyond(latitude, longitude));
  return plain({ type: 'Point', coordinates: [longitude, latitude] });
}

// ---- Ids of a file

/** The maximum number of ids that are remembered to find those that occur twice. */
const IDS_MAX = 200_000;

/** Remembers the ids of a file: `add(document)` returns `first`, `repeated` for an equal record, or `taken`. */
export function knownIDs() {
  const known = new Map();
  return {
    add({ id, text }) {
      const hash = sum(text), before = known.get(id);
      if (before !== undefined) return before === hash ? 'repeated' : 'taken';
      if (known.size < IDS_MAX) known.set(id, hash);
      return 'first';
    },
  };
}

/** A short hash of a text, with its length. */
function sum(text) {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return (hash >>> 0) * 4096 + byteLength(text) % 4096;
}

/** The text of a document with a revision, before its other members. */
export const withRevision = (text, revision) => text.replace('{', () => `{"_rev":${JSON.stringify(revision)},`);
