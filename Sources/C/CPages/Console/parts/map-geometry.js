// Geometries: those that documents contain, and those of well-known text.
import { isObject } from './json-text.js';

/** The depth of the lists of coordinates of each type. */
const DEPTHS = { Point: 0, MultiPoint: 1, LineString: 1, MultiLineString: 2, Polygon: 2, MultiPolygon: 3 };
const COLLECTIONS_DEPTH_MAX = 4;
/** The maximum number of geometries of a document that are drawn. */
const GEOMETRIES_MAX = 50;
/** A number as a text. */
const DECIMAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)\s*$/;
const LATITUDES = ['lat', 'latitude'], LONGITUDES = ['lon', 'lng', 'longitude'];

const isPosition = item => Array.isArray(item) && item.length >= 2 && isPlace(item[1], item[0]);

const isPlace = (latitude, longitude) => Number.isFinite(latitude) && Number.isFinite(longitude) && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 360;

const isCoordinates = (item, depth) =>
  depth === 0 ? isPosition(item) : Array.isArray(item) && item.length > 0 && item.every(inner => isCoordinates(inner, depth - 1));

/** Whether a value is a geometry of GeoJSON, in degrees. */
function isGeometry(value, depth = 0) {
  if (!isObject(value) || depth > COLLECTIONS_DEPTH_MAX) return false;
  if (value.type === 'GeometryCollection') {
    return Array.isArray(value.geometries) && value.geometries.length > 0 && value.geometries.every(item => isGeometry(item, depth + 1));
  }
  return Object.hasOwn(DEPTHS, value.type) && isCoordinates(value.coordinates, DEPTHS[value.type]);
}

/** The geometries of a value of GeoJSON: a geometry, a feature, or a collection of features. */
function geometriesOf(value) {
  if (!isObject(value)) return [];
  if (isGeometry(value)) return [value];
  if (value.type === 'Feature') return isGeometry(value.geometry) ? [value.geometry] : [];
  if (value.type === 'FeatureCollection' && Array.isArray(value.features)) return value.features.slice(0, GEOMETRIES_MAX).flatMap(geometriesOf);
  return [];
}

/** A number, also one that is written as a text. */
const numberOf = item => typeof item === 'number' ? item : typeof item === 'string' && DECIMAL.test(item) ? Number(item) : NaN;

/** The number of the member that has one of the names; `undefined` without one. */
const numberNamed = (value, names) =>
  Object.entries(value).filter(([name]) => names.includes(name.toLowerCase())).map(([, item]) => numberOf(item)).find(Number.isFinite);

/** The point of an object with numbers for a latitude and a longitude, or with a position that is not GeoJSON, because `type` has another meaning. */
function pointOf(value) {
  if (!isObject(value)) return [];
  const latitude = numberNamed(value, LATITUDES), longitude = numberNamed(value, LONGITUDES);
  if (isPlace(latitude, longitude)) return [{ type: 'Point', coordinates: [longitude, latitude] }];
  return isPosition(value.coordinates) && !isTypeOfGeometry(value.type) ? [{ type: 'Point', coordinates: value.coordinates.slice(0, 2) }] : [];
}

const isTypeOfGeometry = type => typeof type === 'string' && (type === 'GeometryCollection' || Object.hasOwn(DEPTHS, type));

/** The geometry that a document has: GeoJSON in it, a position, or numbers for a latitude and a longitude; `null` without one. */
export function geometryOf(document) {
  const members = Object.values(document);
  let found = geometriesOf(document);
  if (!found.length) found = members.flatMap(geometriesOf);
  if (!found.length) found = pointOf(document);
  if (!found.length) found = members.flatMap(pointOf);
  if (found.length < 2) return found[0] || null;
  return { type: 'GeometryCollection', geometries: found.slice(0, GEOMETRIES_MAX) };
}

/** Whether a document without a geometry seems to have one whose coordinates are impossible. */
export function hasImpossiblePlace(document) {
  if (geometryOf(document)) return false;
  const seems = value => isObject(value) && (isTypeOfGeometry(value.type) && Array.isArray(value.coordinates)
    || [LATITUDES, LONGITUDES].every(names => Number.isFinite(numberNamed(value, names))));
  return [document, ...Object.values(document)].some(seems);
}

/** The geometries of which a collection consists. */
export function simpleGeometries(geometry) {
  if (geometry?.type !== 'GeometryCollection') return geometry ? [geometry] : [];
  return (geometry.geometries || []).flatMap(simpleGeometries);
}

// ---- Well-known text

const TYPES = {
  POINT: 'Point', MULTIPOINT: 'MultiPoint', LINESTRING: 'LineString', MULTILINESTRING: 'MultiLineString', POLYGON: 'Polygon', MULTIPOLYGON: 'MultiPolygon',
};
const TOKEN = /\s*([A-Za-z]+|[(),]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y;

/** Reads well-known text as a geometry; `null` if it is none that can be drawn. */
export function readText(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  for (let found; (found = TOKEN.exec(text)) !== null;) tokens.push(found[1]);
  const reader = { tokens, at: 0 }, geometry = geometryAt(reader, 0);
  return geometry && reader.at === tokens.length && isGeometry(geometry) ? geometry : null;
}

function geometryAt(reader, depth) {
  const word = reader.tokens[reader.at]?.toUpperCase();
  reader.at += 1;
  if (/^(Z|M|ZM)$/i.test(reader.tokens[reader.at])) reader.at += 1;
  if (word === 'GEOMETRYCOLLECTION' && depth < COLLECTIONS_DEPTH_MAX) {
    const geometries = listAt(reader, () => geometryAt(reader, depth + 1));
    return geometries && { type: 'GeometryCollection', geometries };
  }
  const type = Object.hasOwn(TYPES, word) ? TYPES[word] : null;
  if (!type) return null;
  const coordinates = type === 'Point' ? listAt(reader, () => positionAt(reader))?.[0] : coordinatesAt(reader, DEPTHS[type]);
  return coordinates && { type, coordinates };
}

const coordinatesAt = (reader, depth) => listAt(reader, () => depth > 1 ? coordinatesAt(reader, depth - 1) : pointAt(reader));

/** A position, which may be in parentheses in a list of points. */
function pointAt(reader) {
  return reader.tokens[reader.at] === '(' ? listAt(reader, () => positionAt(reader))?.[0] : positionAt(reader);
}

function positionAt(reader) {
  const numbers = [];
  while (/\d/.test(reader.tokens[reader.at])) {
    numbers.push(Number(reader.tokens[reader.at]));
    reader.at += 1;
  }
  return numbers.length >= 2 ? numbers : null;
}

/** What is in parentheses, separated by commas; `null` if one of it cannot be read. */
function listAt(reader, item) {
  if (reader.tokens[reader.at] !== '(') return null;
  const items = [];
  do {
    reader.at += 1;
    const next = item();
    if (!next) return null;
    items.push(next);
  } while (reader.tokens[reader.at] === ',');
  if (reader.tokens[reader.at] !== ')') return null;
  reader.at += 1;
  return items;
}
