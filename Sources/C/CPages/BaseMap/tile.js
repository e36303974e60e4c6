// Reads a tile of the base map; its format is described in Data/README.md of the sources.

/** The length of a tile's side in its own units, and of the margin around it. */
export const EXTENT = 4096;
const MARGIN = 64;

export const LAYERS = {
  land: 1, lakes: 2, urban: 3, parks: 4, rivers: 5, countries: 6, provinces: 7, rails: 8, disputed: 9,
  countryNames: 10, waterNames: 11, provinceNames: 12, placeNames: 13, parkNames: 14,
};
const FIRST_LABEL_LAYER = LAYERS.countryNames;
const AREAS = new Set([LAYERS.land, LAYERS.lakes, LAYERS.urban, LAYERS.parks]);

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.position = 0;
  }

  get hasMore() { return this.position < this.bytes.length; }

  byte() { return this.bytes[this.position++]; }

  number() {
    let value = 0, factor = 1, byte;
    do {
      byte = this.bytes[this.position++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }

  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  text() {
    const length = this.number();
    this.position += length;
    return new TextDecoder().decode(this.bytes.subarray(this.position - length, this.position));
  }
}

/**
 * Reads a tile: `shapes` has, for each layer, the paths in the tile's units, `{ zoom, path }`, one for each area and one
 * for all lines of a zoom; `coasts` the outlines of land and lakes without the edges that the cut at the tile's border
 * made; `labels` the names. `zoom` is the one at which something first appears.
 */
export function readTile(buffer) {
  const reader = new Reader(new Uint8Array(buffer));
  const tile = { shapes: new Map(), coasts: new Map(), labels: [] };
  while (reader.hasMore) {
    const layer = reader.byte(), count = reader.number();
    for (let i = 0; i < count; i++) {
      if (layer >= FIRST_LABEL_LAYER) tile.labels.push(readLabel(reader, layer));
      else readShape(reader, layer, tile);
    }
  }
  return tile;
}

function readLabel(reader, layer) {
  const label = { layer, zoom: reader.number() / 10, x: reader.signed(), y: reader.signed(), name: reader.text() };
  if (layer === LAYERS.placeNames) {
    label.size = reader.number();
    label.isCapital = (reader.byte() & 1) === 1;
  }
  return label;
}

function readShape(reader, layer, tile) {
  const zoom = reader.number() / 10, parts = reader.number(), isArea = AREAS.has(layer);
  const path = pathFor(tile, layer, zoom, isArea);
  const coast = layer === LAYERS.land || layer === LAYERS.lakes ? coastOf(tile, layer) : null;
  for (let part = 0; part < parts; part++) {
    const points = readPoints(reader);
    addPart(path, points, isArea);
    if (coast) addCoast(coast, points);
  }
}

/** The coordinates of a part, x and y in turn. */
function readPoints(reader) {
  const count = reader.number(), points = new Float64Array(count * 2);
  for (let i = 0, x = 0, y = 0; i < count; i++) {
    x += reader.signed();
    y += reader.signed();
    points[2 * i] = x;
    points[2 * i + 1] = y;
  }
  return points;
}

/** Reads the rings of the land of a tile: lists of `[x, y]`, with the tile as a square of the side 1. */
export function readLand(buffer) {
  const reader = new Reader(new Uint8Array(buffer)), rings = [];
  // Land is the first layer.
  if (!reader.hasMore || reader.byte() !== LAYERS.land) return rings;
  for (let features = reader.number(); features > 0; features--) {
    reader.number();
    for (let parts = reader.number(); parts > 0; parts--) {
      const points = readPoints(reader), ring = [];
      for (let i = 0; i < points.length; i += 2) ring.push([points[i] / EXTENT, points[i + 1] / EXTENT]);
      rings.push(ring);
    }
  }
  return rings;
}

/** Each area has its own path, since areas may overlap. The features of a layer are in the order of their zoom. */
function pathFor(tile, layer, zoom, isArea) {
  if (!tile.shapes.has(layer)) tile.shapes.set(layer, []);
  const shapes = tile.shapes.get(layer), last = shapes[shapes.length - 1];
  if (!isArea && last && last.zoom === zoom) return last.path;
  const path = new Path2D();
  shapes.push({ zoom, path });
  return path;
}

function coastOf(tile, layer) {
  if (!tile.coasts.has(layer)) tile.coasts.set(layer, new Path2D());
  return tile.coasts.get(layer);
}

function addPart(path, points, isClosed) {
  path.moveTo(points[0], points[1]);
  for (let i = 2; i < points.length; i += 2) path.lineTo(points[i], points[i + 1]);
  if (isClosed) path.closePath();
}

/** Adds the edges of a ring that are not on the border at which the tile was cut. */
function addCoast(path, points) {
  const isCut = value => value <= -MARGIN || value >= EXTENT + MARGIN;
  let continues = false;
  for (let i = 0; i < points.length; i += 2) {
    const j = (i + 2) % points.length;
    const alongX = points[i] === points[j] && isCut(points[i]);
    const alongY = points[i + 1] === points[j + 1] && isCut(points[i + 1]);
    if (alongX || alongY) {
      continues = false;
      continue;
    }
    if (!continues) path.moveTo(points[i], points[i + 1]);
    path.lineTo(points[j], points[j + 1]);
    continues = true;
  }
}
