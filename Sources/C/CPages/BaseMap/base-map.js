// The base map of the world as a layer of Leaflet, drawn on one canvas from the server's vector tiles.
//
//   import { addBaseMap } from '/_base/base-map.js';
//   const baseMap = addBaseMap(map, { onCredit: text => … });

import { EXTENT, LAYERS, readLand, readTile } from './tile.js';
import { colours, width } from './style.js';
import { DISTANT, drawLabels } from './labels.js';

/** The directory of the server's tiles. */
const ROOT = new URL('.', import.meta.url).pathname;
/** The levels that exist, and the first zoom for which each is used. */
const LEVELS = [{ level: 6, zoom: 6.5 }, { level: 4, zoom: 4 }, { level: 2, zoom: 2.5 }, { level: 0, zoom: -1 }];
const TILE_PIXELS = 256;
/** The zoom from which the lack of further detail is visible. */
const DETAIL_ZOOM_MAX = 12;
/** The zoom from which a view without places names the nearest places outside, and their number. */
const DISTANT_ZOOM_MIN = 9;
const DISTANT_COUNT = 2;
const ARROWS = ['→', '↘', '↓', '↙', '←', '↖', '↑', '↗'];
/** The maximum number of tiles in memory. */
const TILES_MAX = 400;
/** The time for which tiles may be missing until a coarser one is requested in their place, in milliseconds. */
const COARSE_MILLISECONDS = 150;
/** The time after which a tile that could not be read is requested again, in milliseconds. */
const RETRY_MILLISECONDS = 5000;
const NOTICE_MILLISECONDS = 4000;
/** The overlap of the tiles on both sides of the antimeridian, so that there is no line between them. */
const SEAM_PIXELS = 0.6;
/** The events after which the map is expected to move, and the margin of the canvas is loaded too. */
const EXPLORING = ['pointerdown', 'wheel', 'keydown', 'touchstart'];
const CREDIT = 'Base map: Natural Earth.';
const VECTOR_CREDIT = `${CREDIT} The server has vector tiles, which this map cannot draw.`;

function levelOf(zoom) { return LEVELS.find(entry => zoom >= entry.zoom).level; }

/** The tiles in memory and those that are on their way. */
class TileStore {
  constructor(onTile) {
    this.onTile = onTile;
    this.tiles = new Map();
  }

  /** Returns a tile; `null` while it is not there, and requests it if `isWanted`. */
  tile(level, x, y, isWanted) {
    const key = `${level}/${x}/${y}`;
    const known = this.tiles.get(key);
    if (known) {
      // The most recently used tiles are the last ones.
      this.tiles.delete(key);
      this.tiles.set(key, known);
      return known.tile;
    }
    if (isWanted) this.request(key);
    return null;
  }

  request(key) {
    const entry = { tile: null };
    this.tiles.set(key, entry);
    fetch(ROOT + key).then(response => {
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.arrayBuffer();
    }).then(buffer => {
      entry.tile = readTile(buffer);
      this.removeOld();
      this.onTile();
    }).catch(() => setTimeout(() => {
      this.tiles.delete(key);
      this.onTile();
    }, RETRY_MILLISECONDS));
  }

  removeOld() {
    for (const [key, entry] of this.tiles) {
      if (this.tiles.size <= TILES_MAX) return;
      if (entry.tile) this.tiles.delete(key);
    }
  }
}

/** Creates the layer's class; Leaflet is loaded by then. */
function layerClass() {
  return L.Renderer.extend({
    options: { padding: 0.25, theme: 'auto', pane: 'baseMap', grid: true, occupied: () => [] },

    onAdd(map) {
      this._store = new TileStore(() => this._plan());
      this._scheme = matchMedia('(prefers-color-scheme: dark)');
      this._onScheme = () => this._draw();
      this._explore = () => {
        if (this._isExplored) return;
        this._isExplored = true;
        this._plan();
      };
      this._scheme.addEventListener('change', this._onScheme);
      L.Renderer.prototype.onAdd.call(this, map);
      map.on('move', this._onMove, this);
      EXPLORING.forEach(name => map.getContainer().addEventListener(name, this._explore, { passive: true }));
    },

    onRemove(map) {
      map.off('move', this._onMove, this);
      EXPLORING.forEach(name => map.getContainer().removeEventListener(name, this._explore));
      this._scheme.removeEventListener('change', this._onScheme);
      L.Renderer.prototype.onRemove.call(this, map);
    },

    _initContainer() {
      this._container = document.createElement('canvas');
      this._container.setAttribute('aria-hidden', 'true');
      this._context = this._container.getContext('2d');
    },

    _destroyContainer() {
      cancelAnimationFrame(this._frame);
      this._container.remove();
      delete this._context;
    },

    _updatePaths() {},

    /** Draws again in the next frame, for instance after the page's own labels moved. */
    redraw() {
      this._plan();
      return this;
    },

    /** The names that are on the map now. */
    shownNames() { return this._names || []; },

    _plan() {
      if (this._frame) return;
      this._frame = requestAnimationFrame(() => {
        this._frame = 0;
        if (!this._map || this._map._animatingZoom) return;
        if (this._isBeyond()) this._update();
        else this._draw();
      });
    },

    /** A moved map is drawn again when the view leaves the margin of the canvas, or what is loaded of it. */
    _onMove() {
      if (this._isBeyond() || !this._isExplored) this._plan();
    },

    _isBeyond() {
      const size = this._map.getSize(), topLeft = this._map.containerPointToLayerPoint([0, 0]);
      return !this._bounds || !this._bounds.contains(L.bounds(topLeft, topLeft.add(size)));
    },

    _update() {
      if (!this._map || this._map._animatingZoom && this._bounds) return;
      L.Renderer.prototype._update.call(this);
      const size = this._bounds.getSize(), ratio = window.devicePixelRatio || 1;
      L.DomUtil.setPosition(this._container, this._bounds.min);
      const [wide, high] = [Math.round(size.x * ratio), Math.round(size.y * ratio)];
      if (this._container.width !== wide || this._container.height !== high) {
        [this._container.width, this._container.height] = [wide, high];
        this._container.style.width = `${size.x}px`;
        this._container.style.height = `${size.y}px`;
      }
      this._draw();
      this.fire('update');
    },

    /** The tiles that cover the canvas, each with its offset and scale in pixels. */
    _cover(level) {
      const origin = this._map.getPixelOrigin().add(this._bounds.min), size = this._bounds.getSize();
      const pixels = TILE_PIXELS * Math.pow(2, this._map.getZoom() - level), count = 1 << level;
      const tiles = [];
      for (let x = Math.floor(origin.x / pixels); x * pixels < origin.x + size.x; x++) {
        for (let y = Math.max(0, Math.floor(origin.y / pixels)); y < count && y * pixels < origin.y + size.y; y++) {
          tiles.push({
            level, x: ((x % count) + count) % count, y,
            left: x * pixels - origin.x, top: y * pixels - origin.y, scale: pixels / EXTENT,
          });
        }
      }
      return tiles;
    },

    /** The part of the canvas that is in view, in its pixels. */
    _view() {
      const corner = this._map.containerPointToLayerPoint([0, 0]).subtract(this._bounds.min);
      return L.bounds(corner, corner.add(this._map.getSize()));
    },

    /** The tiles to draw: those of the level, and coarser ones in place of those that are not there yet. */
    _tiles() {
      const level = levelOf(this._map.getZoom()), view = this._view();
      const present = [];
      let isComplete = true;
      for (const place of this._cover(level)) {
        const side = place.scale * EXTENT;
        const isSeen = view.overlaps(L.bounds([place.left, place.top], [place.left + side, place.top + side]));
        const tile = this._store.tile(level, place.x, place.y, isSeen || this._isExplored);
        if (tile) present.push({ ...place, tile });
        else if (isSeen || this._isExplored) isComplete = false;
      }
      if (isComplete) {
        this._missing = 0;
        return present;
      }
      this._missing = this._missing || performance.now();
      const isSlow = performance.now() - this._missing >= COARSE_MILLISECONDS;
      if (!isSlow) setTimeout(() => this._plan(), COARSE_MILLISECONDS);
      for (const coarser of LEVELS.filter(entry => entry.level < level)) {
        const below = [];
        for (const place of this._cover(coarser.level)) {
          // The coarsest level is one tile: it is there soon.
          const tile = this._store.tile(coarser.level, place.x, place.y, isSlow && coarser.level === 0);
          if (tile) below.push({ ...place, tile });
        }
        if (below.length) return [...below, ...present];
      }
      return present;
    },

    _draw() {
      const context = this._context;
      if (!context || !this._bounds) return;
      const zoom = this._map.getZoom(), palette = colours(this.options.theme), tiles = this._tiles();
      this._ratio = this._container.width / this._bounds.getSize().x;
      // Where nothing is drawn yet there is water.
      this._container.style.background = palette.water;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, this._container.width, this._container.height);
      context.lineJoin = context.lineCap = 'round';
      for (const level of new Set(tiles.map(tile => tile.level))) {
        this._drawShapes(tiles.filter(tile => tile.level === level), zoom, palette);
      }
      this._drawWater(zoom, palette);
      context.setTransform(this._ratio, 0, 0, this._ratio, 0, 0);
      this._drawNames(tiles, zoom, palette);
    },

    _drawShapes(tiles, zoom, palette) {
      const context = this._context;
      this._fill(tiles, LAYERS.land, palette.land);
      // These areas are coarser than the coast: only their parts on land are drawn.
      context.globalCompositeOperation = 'source-atop';
      this._fill(tiles, LAYERS.urban, palette.urban, zoom);
      this._fill(tiles, LAYERS.parks, palette.parks, zoom);
      context.globalCompositeOperation = 'source-over';
      this._stroke(tiles, LAYERS.rivers, palette.river, zoom, width(zoom, 0.5, 1.8));
      this._fill(tiles, LAYERS.lakes, palette.water, zoom);
      this._strokeCoasts(tiles, palette.coast, width(zoom, 0.4, 1));
      this._stroke(tiles, LAYERS.provinces, palette.province, zoom, width(zoom, 0.4, 1));
      this._stroke(tiles, LAYERS.countries, palette.country, zoom, width(zoom, 0.6, 1.6));
      this._stroke(tiles, LAYERS.disputed, palette.country, zoom, width(zoom, 0.6, 1.4), [4, 4]);
      this._stroke(tiles, LAYERS.rails, palette.rail, zoom, width(zoom, 0.3, 1));
    },

    _inUnits(place) {
      const { left, top, scale } = place, ratio = this._ratio;
      this._context.setTransform(scale * ratio, 0, 0, scale * ratio, left * ratio, top * ratio);
    },

    /**
     * Calls a function with the canvas in the units of a tile. A tile at the antimeridian is cut off there: the data is
     * divided at it, and the margin of the tile beyond it has no true shapes.
     */
    _inTile(place, draw) {
      const context = this._context, last = (1 << place.level) - 1, overlap = SEAM_PIXELS / place.scale;
      this._inUnits(place);
      if (place.x !== 0 && place.x !== last) return draw();
      const left = place.x === 0 ? -overlap : -EXTENT, right = place.x === last ? EXTENT + overlap : 2 * EXTENT;
      context.save();
      context.beginPath();
      context.rect(left, -EXTENT, right - left, 3 * EXTENT);
      context.clip();
      draw();
      context.restore();
    },

    /** Calls a function for each path of a layer that is shown at a zoom, with the canvas in the units of its tile. */
    _eachPath(places, layer, zoom, draw) {
      for (const place of places) {
        const shapes = place.tile.shapes.get(layer);
        if (!shapes) continue;
        this._inTile(place, () => { for (const shape of shapes) if (shape.zoom <= zoom) draw(shape.path, place.scale); });
      }
    },

    _fill(places, layer, colour, zoom = Infinity) {
      this._context.fillStyle = colour;
      this._eachPath(places, layer, zoom, path => this._context.fill(path, 'evenodd'));
    },

    _stroke(places, layer, colour, zoom, pixels, dashes = []) {
      const context = this._context;
      context.strokeStyle = colour;
      this._eachPath(places, layer, zoom, (path, scale) => {
        context.lineWidth = pixels / scale;
        context.setLineDash(dashes.map(length => length / scale));
        context.stroke(path);
      });
      context.setLineDash([]);
    },

    _strokeCoasts(places, colour, pixels) {
      this._context.strokeStyle = colour;
      for (const place of places) {
        this._inTile(place, () => {
          this._context.lineWidth = pixels / place.scale;
          for (const path of place.tile.coasts.values()) this._context.stroke(path);
        });
      }
    },

    /** Fills what is not drawn with water, and with meridians and parallels. */
    _drawWater(zoom, palette) {
      const context = this._context;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.globalCompositeOperation = 'destination-over';
      if (this.options.grid) this._drawGrid(zoom, palette);
      context.fillStyle = palette.water;
      context.fillRect(0, 0, this._container.width, this._container.height);
      context.globalCompositeOperation = 'source-over';
    },

    _drawGrid(zoom, palette) {
      const step = zoom < 3 ? 30 : zoom < 5 ? 10 : zoom < 7 ? 5 : 1;
      const bounds = this._map.layerPointToLatLng(this._bounds.min), context = this._context, ratio = this._ratio;
      const end = this._map.layerPointToLatLng(this._bounds.max), size = this._bounds.getSize();
      context.strokeStyle = palette.grid;
      context.lineWidth = ratio;
      context.beginPath();
      for (let lng = Math.ceil(bounds.lng / step) * step; lng <= end.lng; lng += step) {
        const x = (this._map.latLngToLayerPoint([0, lng]).x - this._bounds.min.x) * ratio;
        context.moveTo(x, 0);
        context.lineTo(x, size.y * ratio);
      }
      for (let lat = Math.ceil(end.lat / step) * step; lat <= Math.min(85, bounds.lat); lat += step) {
        const y = (this._map.latLngToLayerPoint([lat, 0]).y - this._bounds.min.y) * ratio;
        context.moveTo(0, y);
        context.lineTo(size.x * ratio, y);
      }
      context.stroke();
    },

    /** The nearest places outside of a view that has no place, as labels at the edge of the view. */
    _distantPlaces(labels, zoom) {
      const view = this._view(), middle = view.getCenter();
      const places = labels.filter(label => label.layer === LAYERS.placeNames);
      const point = label => L.point(label.px, label.py);
      if (zoom < DISTANT_ZOOM_MIN || places.some(label => label.zoom <= zoom && view.contains(point(label)))) return [];
      const position = pixel => this._map.layerPointToLatLng(pixel.add(this._bounds.min));
      const nearest = places.map(label => ({ label, away: point(label).subtract(middle) }))
        .sort((a, b) => a.away.distanceTo([0, 0]) - b.away.distanceTo([0, 0])).slice(0, DISTANT_COUNT);
      return nearest.map(({ label, away }) => {
        const half = view.getSize().divideBy(2);
        const edge = middle.add(away.multiplyBy(Math.min(half.x / Math.abs(away.x), half.y / Math.abs(away.y), 1)));
        const kilometres = this._map.distance(position(middle), position(point(label))) / 1000;
        const arrow = ARROWS[(Math.round(Math.atan2(away.y, away.x) / (Math.PI / 4)) + 8) % 8];
        return {
          layer: DISTANT, zoom: 0, name: label.name, px: edge.x, py: edge.y,
          box: [view.min.x, view.min.y, view.max.x, view.max.y],
          text: `${arrow} ${label.name} ${kilometres < 10 ? kilometres.toFixed(1) : Math.round(kilometres)} km`,
        };
      });
    },

    _drawNames(tiles, zoom, palette) {
      const labels = [], size = this._bounds.getSize();
      for (const { tile, left, top, scale } of tiles) {
        for (const label of tile.labels) {
          // A name in the margin is in the neighbour too.
          if (label.x < 0 || label.x >= EXTENT || label.y < 0 || label.y >= EXTENT) continue;
          labels.push({ ...label, px: left + label.x * scale, py: top + label.y * scale });
        }
      }
      labels.push(...this._distantPlaces(labels, zoom));
      // The page's boxes are in pixels of the map's container.
      const offset = this._map.containerPointToLayerPoint([0, 0]).subtract(this._bounds.min);
      const occupied = this.options.occupied().map(
        box => [box[0] + offset.x, box[1] + offset.y, box[2] + offset.x, box[3] + offset.y].map(Math.round));
      this._names = drawLabels(this._context, labels, zoom, palette, [0, 0, size.x, size.y], occupied);
    },
  });
}

/** Says once that the map has no further detail, for some seconds. */
function watchDetail(map, hasTiles) {
  const check = () => {
    if (map.getZoom() < DETAIL_ZOOM_MAX || hasTiles(map.getZoom())) return;
    map.off('zoomend', check);
    const notice = document.createElement('p');
    notice.className = 'base-map-notice';
    notice.setAttribute('role', 'status');
    notice.textContent = 'The base map has no further detail here.';
    map.getContainer().appendChild(notice);
    setTimeout(() => notice.remove(), NOTICE_MILLISECONDS);
  };
  map.on('zoomend', check);
}

/**
 * Adds the server's raster tiles, if it has some, for the zooms that they have. Returns the zooms and the credit. Vector tiles are
 * not drawn: the credit says so.
 */
async function addTiles(map) {
  const answer = await fetch('/_tiles', { headers: { Accept: 'application/json' } });
  const tiles = answer.ok ? await answer.json() : null;
  if (!tiles || tiles.available !== true) return null;
  if (tiles.format === 'pbf') return { least: Infinity, most: -Infinity, credit: VECTOR_CREDIT };
  const least = tiles.minzoom ?? 0, most = tiles.maxzoom ?? 18, bounds = tiles.bounds;
  L.tileLayer('/_tiles/{z}/{x}/{y}', {
    minZoom: least, minNativeZoom: least, maxNativeZoom: most, maxZoom: map.getMaxZoom(),
    bounds: bounds ? [[bounds[1], bounds[0]], [bounds[3], bounds[2]]] : undefined,
  }).addTo(map);
  // Attributions contain links: only their text is shown.
  const text = new DOMParser().parseFromString(tiles.attribution || tiles.name || '', 'text/html').body.textContent;
  return { least, most, credit: `Base map: ${text || 'tiles of this server'}; Natural Earth.` };
}

/**
 * Adds the base map to a map of Leaflet, and above it the tiles of the server's `--tiles`, for the zooms that they have.
 *
 * options:
 * - `theme`: `light`, `dark`, or `auto` (the default), as the device prefers.
 * - `grid`: whether meridians and parallels are drawn on water.
 * - `occupied()`: the boxes that names must leave free, `[left, top, right, bottom]` in pixels of the map's container.
 * - `onCredit(text)`: called with the source of the map's data.
 *
 * Returns the layer. Its `ready` is a promise that is fulfilled when the tiles are on the map too.
 */
export function addBaseMap(map, { onCredit = () => {}, ...options } = {}) {
  if (!map.getPane('baseMap')) {
    const pane = map.createPane('baseMap');
    pane.style.zIndex = 150;
    pane.style.pointerEvents = 'none';
  }
  const layer = new (layerClass())(options).addTo(map);
  onCredit(CREDIT);
  layer.ready = addTiles(map).catch(() => null).then(tiles => {
    if (tiles) onCredit(tiles.credit);
    watchDetail(map, zoom => tiles !== null && zoom >= tiles.least && zoom <= tiles.most);
  });
  return layer;
}

/** Reads the land of the whole world: its rings, lists of `[x, y]` with the world as a square of the side 1. */
export async function worldRings() {
  const answer = await fetch(`${ROOT}0/0/0`);
  if (!answer.ok) throw new Error(`The base map could not be read (status ${answer.status}).`);
  return readLand(await answer.arrayBuffer());
}
