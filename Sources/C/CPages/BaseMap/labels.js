// Chooses the names that fit on the map without collisions, and draws them.

import { LAYERS } from './tile.js';
import { FONT } from './style.js';

/** The space between two names, and around the dots of places, in pixels. */
const GAP = 4;
const DOT = 2.2;
/** The maximum number of names on a map. */
const COUNT_MAX = 400;
/** The layer of places that are outside of the view: their names, with an arrow and the distance, are at its edge. */
export const DISTANT = 'distant';

/** How the names of a layer look: the order in which they take space, the font, and the colour. */
const KINDS = {
  [LAYERS.countryNames]: { order: 0, colour: 'country_name', font: (zoom) => `600 ${size(zoom, 10, 15)}px ${FONT}`, spacing: 1.5, upper: true },
  [LAYERS.waterNames]: { order: 2, colour: 'water_name', font: (zoom) => `italic ${size(zoom, 10, 13)}px ${FONT}`, spacing: 0.5, onWater: true },
  [LAYERS.placeNames]: { order: 1, colour: 'name', dot: true },
  [LAYERS.provinceNames]: { order: 3, colour: 'province_name', font: (zoom) => `${size(zoom, 9, 12)}px ${FONT}`, spacing: 1, upper: true },
  [DISTANT]: { order: 5, colour: 'name', font: () => `600 11.5px ${FONT}`, isInside: true },
  [LAYERS.parkNames]: { order: 4, colour: 'park_name', font: () => `italic 10.5px ${FONT}` },
};

function size(zoom, from, to) { return from + (to - from) * Math.min(1, Math.max(0, (zoom - 2) / 6)); }

function placeFont(label, zoom) {
  const weight = label.isCapital || label.size >= 5 ? 600 : 400;
  return `${weight} ${10 + Math.min(label.size, 6) * 0.6 + Math.min(2, Math.max(0, zoom - 6) * 0.4)}px ${FONT}`;
}

/** A grid of the boxes that are taken, so that a name is compared with its neighbours only. */
class TakenSpace {
  constructor() { this.cells = new Map(); }

  keys(box) {
    const keys = [];
    for (let x = box[0] >> 6; x <= box[2] >> 6; x++) for (let y = box[1] >> 6; y <= box[3] >> 6; y++) keys.push(`${x} ${y}`);
    return keys;
  }

  isFree(box) {
    return this.keys(box).every(key => (this.cells.get(key) || []).every(
      other => box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1]));
  }

  take(box) {
    for (const key of this.keys(box)) {
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push(box);
    }
  }
}

/**
 * Draws names, and returns those that had space.
 *
 * labels: `{ layer, zoom, name, size, isCapital, px, py }`, with the position in pixels of the canvas.
 * occupied: the boxes that names must leave free.
 */
export function drawLabels(context, labels, zoom, colours, bounds, occupied) {
  const shown = labels.filter(label => label.zoom <= zoom + 0.01 && KINDS[label.layer]);
  shown.sort((a, b) => KINDS[a.layer].order - KINDS[b.layer].order || a.zoom - b.zoom
    || (b.size || 0) - (a.size || 0) || (a.name < b.name ? -1 : 1));
  const taken = new TakenSpace(), drawn = [], keys = new Set();
  for (const box of occupied) taken.take(box);
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  for (const label of shown) {
    if (drawn.length >= COUNT_MAX) break;
    const kind = KINDS[label.layer];
    const text = label.text || (kind.upper ? label.name.toLocaleUpperCase() : label.name);
    // A name may be in two tiles.
    const key = `${label.layer} ${text} ${Math.round(label.px / 8)} ${Math.round(label.py / 8)}`;
    if (keys.has(key)) continue;
    context.font = kind.dot ? placeFont(label, zoom) : kind.font(zoom);
    context.letterSpacing = `${kind.spacing || 0}px`;
    const position = placed(context, label, text, kind, taken, bounds);
    if (!position) continue;
    keys.add(key);
    drawn.push(label.name);
    context.lineWidth = 3;
    context.strokeStyle = kind.onWater ? colours.water_halo : colours.halo;
    context.fillStyle = colours[kind.colour];
    context.strokeText(text, position.x, position.y);
    context.fillText(text, position.x, position.y);
    if (kind.dot) drawDot(context, label, colours);
  }
  context.letterSpacing = '0px';
  return drawn;
}

/** The left middle of a name where it has space; `null` without space. */
function placed(context, label, text, kind, taken, bounds) {
  const metrics = context.measureText(text);
  const [wide, high] = [metrics.width, metrics.actualBoundingBoxAscent + metrics.actualBoundingBoxDescent];
  if (kind.isInside) return placedInside(label, [wide, high], taken, bounds);
  const candidates = kind.dot
    ? [[DOT + GAP, 0], [-DOT - GAP - wide, 0], [-wide / 2, -high / 2 - DOT - GAP], [-wide / 2, high / 2 + DOT + GAP]]
    : [[-wide / 2, 0]];
  for (const [dx, dy] of candidates) {
    const x = label.px + dx, y = label.py + dy;
    const box = [x - GAP, y - high / 2 - GAP, x + wide + GAP, y + high / 2 + GAP].map(Math.round);
    if (box[2] < bounds[0] || box[0] > bounds[2] || box[3] < bounds[1] || box[1] > bounds[3]) continue;
    if (!taken.isFree(box)) continue;
    taken.take(box);
    if (kind.dot) taken.take([label.px - DOT, label.py - DOT, label.px + DOT, label.py + DOT].map(Math.round));
    return { x, y };
  }
  return null;
}

/** The left middle of a name that is completely inside of the label's box, as near to its point as there is space. */
function placedInside(label, [wide, high], taken, bounds) {
  const [left, top, right, bottom] = label.box || bounds;
  const x = Math.min(Math.max(label.px - wide / 2, left + 2 * GAP), right - wide - 2 * GAP);
  for (const offset of [0, 1, -1, 2, -2, 3, -3]) {
    const middle = label.py + offset * (high + 3 * GAP);
    const y = Math.min(Math.max(middle, top + high), bottom - high);
    const box = [x - GAP, y - high / 2 - GAP, x + wide + GAP, y + high / 2 + GAP].map(Math.round);
    if (x < left || !taken.isFree(box)) continue;
    taken.take(box);
    return { x, y };
  }
  return null;
}

function drawDot(context, label, colours) {
  context.beginPath();
  context.arc(label.px, label.py, label.isCapital ? DOT + 0.8 : DOT, 0, 2 * Math.PI);
  context.fillStyle = label.isCapital ? colours.halo : colours.dot;
  context.strokeStyle = colours.dot;
  context.lineWidth = 1.4;
  context.fill();
  if (label.isCapital) context.stroke();
}
