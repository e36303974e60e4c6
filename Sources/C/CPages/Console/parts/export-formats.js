// The formats of an export: JSON Lines, GeoJSON and CSV, as `godwit export` writes them. Numbers keep their digits.
import { compact, member, plain, valueOf, withMembers } from './json.js';

/** What is not written: the revision and the attachments belong to the database. */
const DROPPED = ['_rev', '_attachments'];
const GEOMETRIES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'];
const FIXED_COLUMNS = ['_id', 'latitude', 'longitude'];
/** The maximum number of columns of a table. */
export const COLUMNS_MAX = 10_000;

const without = (node, names) => ({ kind: 'object', members: node.members.filter(item => !names.includes(item.key)) });
const idOf = doc => member(doc, '_id');
const isDesign = doc => valueOf(idOf(doc)).startsWith('_design/');

export const hasAttachments = doc => Boolean(member(doc, '_attachments'));

function geometryOf(doc) {
  const geometry = member(doc, 'geometry');
  return geometry?.kind === 'object' && GEOMETRIES.includes(valueOf(member(geometry, 'type'))) ? geometry : null;
}

// ---- JSON Lines

function line(doc, hasRevisions) {
  const names = hasRevisions ? ['_attachments'] : DROPPED;
  return `${compact(withMembers(without(doc, names), { _id: idOf(doc) }))}\n`;
}

// ---- GeoJSON

/** The feature of a document; `null` without a geometry. */
function feature(doc) {
  const geometry = geometryOf(doc);
  if (!geometry || isDesign(doc)) return null;
  const front = { type: plain('Feature'), id: idOf(doc), geometry };
  const isFeature = valueOf(member(doc, 'type')) === 'Feature';
  const properties = isFeature ? member(doc, 'properties') || plain(null) : without(doc, ['_id', 'geometry', ...DROPPED]);
  const others = isFeature ? without(doc, ['_id', ...DROPPED]) : { kind: 'object', members: [] };
  return compact(withMembers(others, { ...front, properties }));
}

// ---- CSV

/** The properties of a document, by name. */
function propertiesOf(doc) {
  const isFeature = valueOf(member(doc, 'type')) === 'Feature', found = new Map();
  for (const { key, node } of without(doc, ['_id', ...DROPPED, 'geometry', ...(isFeature ? ['type', 'properties'] : [])]).members) found.set(key, node);
  if (isFeature) for (const { key, node } of member(doc, 'properties')?.members || []) found.set(key, node);
  return found;
}

const isRow = doc => !isDesign(doc) && ['Point', undefined].includes(geometryOf(doc) ? valueOf(member(geometryOf(doc), 'type')) : undefined);

const quoted = text => `"${text.replaceAll('"', '""')}"`;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A text is in quotes when the format requires it, when it is empty, and when it would be read as a number. */
const textCell = text => (text === '' || /["\n\r,]/.test(text) || NUMBER.test(text)) ? quoted(text) : text;

function cell(node) {
  if (!node || node.raw === 'null') return '';
  if (node.kind !== 'plain') return quoted(compact(node));
  return node.raw.startsWith('"') ? textCell(valueOf(node)) : node.raw;
}

const row = cells => `${cells.join(',')}\r\n`;

function tableRow(doc, columns) {
  const [longitude, latitude] = (geometryOf(doc) && member(geometryOf(doc), 'coordinates')?.items) || [], properties = propertiesOf(doc);
  return row([textCell(valueOf(idOf(doc))), cell(latitude), cell(longitude), ...columns.map(name => cell(properties.get(name)))]);
}

/**
 * The formats. `start`, `text(doc)` and `end` make the file; `text` returns `null` for a document that the format cannot
 * contain. A table reads the documents twice: `look(doc)` collects the columns first.
 */
export function formatOf(name, { hasRevisions }) {
  if (name === 'lines') return { type: 'application/jsonl', ending: 'jsonl', start: () => '', text: doc => line(doc, hasRevisions), end: '' };
  if (name === 'geojson') {
    let isFirst = true;
    return {
      type: 'application/geo+json', ending: 'geojson', start: () => '{"type":"FeatureCollection","features":[', end: '\n]}\n', text: doc => {
        const text = feature(doc);
        if (text === null) return null;
        const before = isFirst ? '\n' : ',\n';
        isFirst = false;
        return before + text;
      },
    };
  }
  const columns = new Set();
  return {
    type: 'text/csv', ending: 'csv', end: '',
    look: doc => { if (isRow(doc)) for (const key of propertiesOf(doc).keys()) columns.add(key); return columns.size; },
    start: () => row([...FIXED_COLUMNS, ...[...columns].map(key => textCell(FIXED_COLUMNS.includes(key) ? `properties.${key}` : key))]),
    text: doc => isRow(doc) ? tableRow(doc, [...columns]) : null,
  };
}
