// The map, its controls and its view.
import { addBaseMap } from '/_base/base-map.js';
import { byId, icon, isReduced } from './elements.js';
import { texts } from './texts.js';

const MAX_ZOOM = 18;
/** The maximum zoom of a view that the page chooses, for instance of one photo. */
const NEAR_ZOOM = 12;
/** The space around the pins of a fitted view: left, top, right, bottom. A pin is above its point. */
const MARGIN = [44, 78, 68, 36];
const PHONE_MARGIN = [36, 70, 60, 28];
/** The distance from the right edge within which the controls may cover a pin. */
const CONTROLS = 58;
/** Photos that are closer to each other at the maximum zoom remain one group. */
const APART_PIXELS = 70;
/** The longitude in the middle of the world's view. */
const WORLD_MIDDLE = 10;

const isStill = isReduced();

export const map = L.map('map', {
  zoomControl: false,
  attributionControl: false,   // the credits are in the foot
  trackResize: false,          // the observer below resizes the map
  zoomSnap: 0,                 // a fitted view fills the map
  zoomDelta: 1,
  minZoom: 0,
  maxZoom: MAX_ZOOM,
  worldCopyJump: true,
  zoomAnimation: !isStill,
  fadeAnimation: !isStill,
  markerZoomAnimation: !isStill,
  inertia: !isStill,
});

map.createPane('photos').style.zIndex = 620;
map.createPane('open').style.zIndex = 640;
map.getPane('open').setAttribute('aria-hidden', 'true');

L.control.zoom({ position: 'topright', zoomInTitle: texts.map.zoomIn, zoomOutTitle: texts.map.zoomOut }).addTo(map);
L.control.scale({ position: 'bottomleft', maxWidth: 110 }).addTo(map);

// Leaflet draws nothing without a view.
map.setView([0, 0], 1, { animate: false });

let occupied = [];
const baseMap = addBaseMap(map, { occupied: () => occupied, onCredit: text => { byId('base-credit').textContent = text; } });

/** Keeps the names of the base map away from boxes, `[left, top, right, bottom]` in pixels of the map, and the controls. */
export function setOccupied(boxes) {
  occupied = [...boxes, ...controlBoxes()];
  baseMap.redraw();
}

function controlBoxes() {
  const frame = map.getContainer().getBoundingClientRect();
  return Array.from(map.getContainer().querySelectorAll('.leaflet-control'), control => {
    const box = control.getBoundingClientRect();
    return [box.left - frame.left - 3, box.top - frame.top - 3, box.right - frame.left + 3, box.bottom - frame.top + 3];
  });
}

// MARK: The fitted view

let places = () => [];       // the points to fit
let isMoved = false, isFitting = false, isZooming = false, isFitWanted = false;

// A zoom that is animated ends with its own view, so that fitting waits for it.
map.on('zoomanim', () => { isZooming = true; });
map.on('zoomend', () => { isZooming = false; });
map.on('moveend', () => { if (isFitWanted && !isZooming) fit(); });

/** Whether the user has moved the map since it was fitted. */
export function isOwnView() { return isMoved; }

/** Fits the view to the photos, or to the world without one. */
export function fit() {
  isFitWanted = isZooming;
  if (isFitWanted) return;
  map.invalidateSize({ pan: false, animate: false });
  const size = map.getSize();
  if (size.x < 40 || size.y < 40) return;
  const points = places();
  isFitting = true;
  if (points.length) {
    const [left, top, right, bottom] = size.x < 500 ? PHONE_MARGIN : MARGIN;
    map.fitBounds(L.latLngBounds(points), {
      paddingTopLeft: [left, top], paddingBottomRight: [right, bottom], maxZoom: NEAR_ZOOM, animate: false,
    });
  } else {
    showWorld(size);
  }
  isFitting = false;
  isMoved = false;
}

/** Fills the map with the world, from the north of Greenland to the south of Chile. */
function showWorld(size) {
  const north = map.project([84, WORLD_MIDDLE], 0), south = map.project([-58, WORLD_MIDDLE], 0);
  const zoom = Math.max(worldZoom(), Math.log2(size.y / (south.y - north.y))), factor = Math.pow(2, zoom);
  map.setView(map.unproject([south.x * factor, south.y * factor - size.y / 2], zoom), zoom, { animate: false });
}

/** The zoom at which the world is as wide as the map. */
function worldZoom() { return Math.max(0, Math.log2(map.getSize().x / 256)); }

/** The clusters are made for whole zooms only. */
function minZoom() { return Math.floor(worldZoom()); }

/** Sets where the points to fit come from. */
export function fitTo(source) { places = source; }

/** Shows some points closer, if a higher zoom tells them apart; returns whether it does. */
export function zoomTo(points) {
  const bounds = L.latLngBounds(points);
  const corners = [bounds.getSouthWest(), bounds.getNorthEast()].map(corner => map.project(corner, MAX_ZOOM));
  if (corners[0].distanceTo(corners[1]) < APART_PIXELS || map.getZoom() > MAX_ZOOM - 0.3) return false;
  const zoom = Math.min(map.getBoundsZoom(bounds, false, L.point(150, 170)), MAX_ZOOM);
  // It is a step at least.
  map.setView(bounds.getCenter(), Math.max(zoom, Math.min(map.getZoom() + 1, MAX_ZOOM)));
  return true;
}

/** Moves the map to a place, so that nothing covers it; `isNear` also shows its surroundings. */
export function showPlace(point, isNear = false, options = {}) {
  const zoom = isNear ? Math.max(map.getZoom(), 8) : map.getZoom();
  const free = freeBox(), at = map.project(point, zoom);
  if (!isNear) {
    const pixel = map.latLngToContainerPoint(point);
    if (pixel.x >= free[0] + 30 && pixel.x <= free[2] - CONTROLS && pixel.y >= free[1] + 70 && pixel.y <= free[3] - 10) return;
  }
  const size = map.getSize(), middle = L.point((free[0] + free[2]) / 2, (free[1] + free[3]) / 2 + 25);
  isMoved = true;
  map.setView(map.unproject(at.add(size.divideBy(2)).subtract(middle), zoom), zoom, options);
}

/** The part of the map that the photo's sheet leaves free, in pixels of the map. */
function freeBox() {
  const frame = map.getContainer().getBoundingClientRect(), sheet = byId('photo');
  const box = sheet.hidden ? null : sheet.getBoundingClientRect();
  const isOver = box && box.left < frame.right && box.right > frame.left + 1 && box.top < frame.bottom;
  const bottom = isOver ? Math.max(box.top, frame.top + 90) : frame.bottom;
  return [0, 0, frame.width, bottom - frame.top];
}

// MARK: Controls

const FitControl = L.Control.extend({
  onAdd() {
    const bar = L.DomUtil.create('div', 'leaflet-bar leaflet-control'), link = L.DomUtil.create('a', 'fit-button', bar);
    link.href = '#';
    link.title = texts.map.fit;
    link.setAttribute('role', 'button');
    link.setAttribute('aria-label', texts.map.fit);
    link.append(icon('fit'));
    L.DomEvent.disableClickPropagation(bar);
    L.DomEvent.on(link, 'click', event => { L.DomEvent.preventDefault(event); fit(); });
    return bar;
  },
});
new FitControl({ position: 'topright' }).addTo(map);

// MARK: Sizes

map.on('movestart zoomstart', () => { if (!isFitting) isMoved = true; });

const resizeHandlers = [];

/** Calls a function after each change of the map's size, before the view is fitted to it. */
export function onResize(handler) { resizeHandlers.push(handler); }

let resizing = 0;
new ResizeObserver(() => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => {
    const wasMoved = isMoved;
    map.invalidateSize({ pan: true, animate: false });
    isMoved = wasMoved;
    map.options.minZoom = minZoom();
    resizeHandlers.forEach(handler => handler());
    if (!isMoved) fit();
  });
}).observe(map.getContainer());
map.options.minZoom = minZoom();
fit();
