// The pins: photos as their thumbnails, and clusters of them. Only pins in view are elements, at most 270.
import { dateOf, h, isReduced, spanOf } from './elements.js';
import { thumbnailOf } from './photos.js';
import { texts } from './texts.js';
import { map, onResize, setOccupied, showPlace, zoomTo } from './view.js';

const PINS_MAX = 270;
/** The distance within which photos share a pin, in pixels. */
const RADIUS = 76;
/** So many changes at once are faster from the start. */
const CHANGES_MAX = 120;
/** The maximum number of times that clusters are made wider at once. */
const TURNS = 6;
/** While the map moves, pins are added after so many milliseconds. */
const MOVING = 120;
/** The margin around the view that has pins, as a part of the view. */
const MARGIN = 0.06;
const FRESH = 3200;
/** The least time between two repairs of the pins, in milliseconds. */
const REPAIR = 1000;

/** The sizes of pins as in map.css, without their tails: the point is below the middle of the pin. */
const SIZES = { one: { width: 52, height: 60, below: 0 }, many: { width: 60, height: 60, below: 30 } };

// MARK: Icons

const pane = map.getPane('photos');
pane.setAttribute('role', 'group');

/** What an element of a pin shows: `{ marker, photos }`. */
const shown = new WeakMap();

const PinIcon = L.Icon.extend({
  initialize(content) { this.content = content; },
  createShadow() { return null; },

  createIcon() {
    const { kind, photo, count, label } = this.content;
    const image = h('img', { src: thumbnailOf(photo.id), alt: '', decoding: 'async', draggable: 'false' });
    image.addEventListener('error', () => element.classList.add('no-picture'), { once: true });
    const element = h('div', {
      class: `leaflet-marker-icon pin pin-${kind}`, 'data-photo': photo.id, 'data-count': count,
      role: 'button', tabindex: '-1', 'aria-label': label, title: label,
    }, h('span', { class: 'pin-picture' }, image), count > 1 && h('span', { class: 'pin-count', 'aria-hidden': 'true' }, texts.map.count(count)));
    shown.set(element, this.content);
    return element;
  },
});

function markerOf(photo) {
  const content = { kind: 'one', photo, count: 1, get label() { return texts.map.pin(dateOf(photo.sort)); } };
  const marker = L.marker([photo.latitude, photo.longitude], { pane: 'photos', keyboard: false, riseOnHover: true, icon: new PinIcon(content) });
  content.marker = marker;
  marker.photo = photo;
  return marker;
}

function iconOf(cluster) {
  const list = photosOf(cluster);
  let newest = list[0], oldest = list[0];
  for (const photo of list) {
    if (photo.sort > newest.sort) newest = photo;
    if (photo.sort < oldest.sort) oldest = photo;
  }
  return new PinIcon({
    kind: 'many', photo: newest, count: list.length, label: texts.map.group(list.length, spanOf(oldest.sort, newest.sort)), marker: cluster,
  });
}

function photosOf(marker) { return marker.photo ? [marker.photo] : marker.getAllChildMarkers().map(child => child.photo); }

// MARK: Clusters

/** The factor of the radius for zooms at which there were too many pins. */
const wider = new Map();
let repairedAt = -REPAIR, repairing = 0;

/** Bounds without a photo. */
const NOWHERE = L.latLngBounds([[-89.9, 5000], [-89.8, 5001]]);

// The library has no public way to limit its pins: this is Leaflet.markercluster 1.5.
const Clusters = L.MarkerClusterGroup.extend({
  // The library keeps pins around the view that are nine times of it.
  _getExpandedVisibleBounds() { return this._checkBoundsMaxLat(map.getBounds().pad(MARGIN)); },

  _zoomEnd() {
    const count = this._map ? this.countPins() : 0;
    if (count > PINS_MAX) return rebuild();
    // Animated pins are there together with those that they come from.
    const isAnimated = this.options.animate && count + pane.childElementCount <= PINS_MAX;
    Object.assign(this, isAnimated ? this._withAnimation : this._noAnimation);
    L.MarkerClusterGroup.prototype._zoomEnd.call(this);
  },

  _moveEnd() {
    if (this._inZoomAnimation) return;
    if (this.countPins() > PINS_MAX) rebuild(); else L.MarkerClusterGroup.prototype._moveEnd.call(this);
  },

  /** The number of pins for the view. */
  countPins() {
    const zoom = Math.round(map.getZoom()), bounds = this._getExpandedVisibleBounds();
    let count = 0;
    this._topClusterLevel._recursively(bounds, map.getMinZoom() - 1, zoom, cluster => {
      if (cluster._zoom !== zoom) for (const marker of cluster._markers) if (bounds.contains(marker.getLatLng())) count += 1;
    }, () => { count += 1; });
    return count;
  },

  /** Makes the clusters again, without pins. */
  refill(list) {
    // An animation that has not ended would end with the old pins.
    this._processQueue();
    this.clearLayers();
    [this._zoom, this._currentShownBounds] = [Math.round(map.getZoom()), NOWHERE];
    this.addLayers(list);
  },

  /** Shows the pins after `refill`. */
  showPins() {
    this._currentShownBounds = this._getExpandedVisibleBounds();
    this._topClusterLevel._recursivelyAddChildrenToMap(null, this._zoom, this._currentShownBounds);
  },

  /** Adds the pins of the part of the map that came into view, also of one that came while pins were animated. */
  catchUp() {
    this._moveEnd();
    // Zooms that interrupt each other leave pins out.
    if (this._inZoomAnimation || this._featureGroup.getLayers().length === this.countPins()) return;
    const rest = repairedAt + REPAIR - performance.now();
    clearTimeout(repairing);
    if (rest > 0) {
      repairing = setTimeout(arrangeSoon, rest);
      return;
    }
    repairedAt = performance.now();
    rebuild();
  },
});

const clusters = new Clusters({
  maxClusterRadius: zoom => RADIUS * (wider.get(zoom) || 1),
  iconCreateFunction: iconOf,
  clusterPane: 'photos',
  animate: !isReduced(),
  showCoverageOnHover: false,
  spiderfyOnMaxZoom: false,
  zoomToBoundsOnClick: false,
  removeOutsideVisibleBounds: true,
  keyboard: false,
}).addTo(map);


/** The markers of the photos that are in the shown time, by the photos' identifiers. */
const markers = new Map();

/** Shows a list of photos: with few changes only these, and otherwise all from the start. */
export function setPhotos(list) {
  const added = [], removed = [], left = new Set(markers.keys());
  for (const photo of list) {
    const known = markers.get(photo.id);
    left.delete(photo.id);
    if (known && known.photo === photo) continue;
    if (known) removed.push(known);
    const marker = markerOf(photo);
    markers.set(photo.id, marker);
    added.push(marker);
  }
  for (const id of left) {
    removed.push(markers.get(id));
    markers.delete(id);
  }
  if (added.length + removed.length > CHANGES_MAX) {
    rebuild();
  } else {
    removed.forEach(marker => clusters.removeLayer(marker));
    added.forEach(marker => clusters.addLayer(marker));
    if (clusters.countPins() > PINS_MAX) rebuild();
  }
  arrangeSoon();
}

/** Makes the clusters again: wider ones if there are too many pins. */
function rebuild() {
  const list = Array.from(markers.values()), zoom = Math.round(map.getZoom());
  for (let turn = 0; turn < TURNS; turn++) {
    clusters.refill(list);
    const count = clusters.countPins();
    if (count <= PINS_MAX) break;
    wider.set(zoom, (wider.get(zoom) || 1) * Math.max(1.15, 1.05 * Math.sqrt(count / PINS_MAX)));
  }
  clusters.showPins();
  arrangeSoon();
}

/** The pin that shows a photo: its own, or that of its cluster; `null` out of view. */
function pinOf(id) {
  const marker = markers.get(id), parent = marker && clusters.getVisibleParent(marker);
  return parent && parent._icon || null;
}

/** Highlights the pins of new photos for a moment; returns whether all of them are in view. */
export function highlight(ids) {
  let isAll = true;
  for (const id of ids) {
    const pin = pinOf(id), marker = markers.get(id);
    if (!pin || !marker || !map.getBounds().contains(marker.getLatLng())) { isAll = false; continue; }
    pin.classList.remove('fresh');
    void pin.offsetWidth;    // starts the animation again
    pin.classList.add('fresh');
    setTimeout(() => pin.classList.remove('fresh'), FRESH);
  }
  return isAll;
}

// MARK: The open photo

let openMarker = null;

/** Shows the pin of the open photo above all others. */
export function setOpen(photo) {
  openMarker?.remove();
  openMarker = photo ? L.marker([photo.latitude, photo.longitude], {
    pane: 'open', keyboard: false, interactive: false, icon: new PinIcon({ kind: 'open', photo, count: 1, label: '' }),
  }).addTo(map) : null;
  const element = openMarker && openMarker.getElement();
  if (element) ['role', 'tabindex', 'aria-label', 'title'].forEach(name => element.removeAttribute(name));
}

// MARK: After each change

let arranging = 0;
let focusedId = null;        // the photo whose pin has the keyboard's focus
let stop = null;             // the pin at which the Tab key stops

const pins = () => Array.from(pane.querySelectorAll('.pin')).filter(pin => shown.has(pin) && pin.style.display !== 'none');

function arrangeSoon() {
  arranging = arranging || requestAnimationFrame(() => { arranging = 0; arrange(); });
}

function arrange() {
  clusters.catchUp();
  const list = pins();
  const size = map.getSize(), boxes = [];
  for (const pin of list) {
    const { marker, kind } = shown.get(pin), at = map.latLngToContainerPoint(marker.getLatLng()), { width, height, below } = SIZES[kind];
    if (at.x > -width && at.y > -height && at.x < size.x + width && at.y < size.y + height) {
      boxes.push([at.x - width / 2, at.y + below - height, at.x + width / 2, at.y + below]);
    }
  }
  setOccupied(boxes);
  pane.setAttribute('aria-label', texts.map.pins(markers.size));
  keepFocus(list);
  changed();
}

let changed = () => {};
/** Calls a function when other pins are shown, or other parts of the map. */
export function onArranged(handler) { changed = handler; }

let moving = 0;
map.on('move', () => {
  moving = moving || setTimeout(() => { moving = 0; clusters.catchUp(); }, MOVING);
});
map.on('moveend zoomend', arrangeSoon);
clusters.on('animationend', arrangeSoon);
onResize(() => {
  wider.clear();
  rebuild();
  arrangeSoon();
});

// MARK: Pointer and keyboard

let open = () => {};
/** Calls a function with the photo of a pin that the user opens, and with the photos at the same place if there are several. */
export function onOpen(handler) { open = handler; }

function activate(marker) {
  const list = photosOf(marker);
  if (list.length > 1 && zoomTo(list.map(photo => [photo.latitude, photo.longitude]))) return;
  list.sort((a, b) => b.sort - a.sort);
  open(list[0], list.length > 1 ? list : null);
}

clusters.on('click', event => activate(event.layer));
clusters.on('clusterclick', event => activate(event.layer));

/** One stop of the Tab key for all pins; the arrow keys go to the nearest pin in their direction. */
function keepFocus(list) {
  if (focusedId !== null && !list.includes(document.activeElement)) {
    const isLost = document.activeElement === document.body || document.activeElement === map.getContainer();
    const pin = pinOf(focusedId);
    if (isLost && pin) return focus(pin);
    if (!isLost) focusedId = null;
  }
  if (!list.includes(stop)) stop = list.reduce((best, pin) => best && shown.get(best).photo.sort >= shown.get(pin).photo.sort ? best : pin, null);
  for (const pin of list) pin.tabIndex = pin === stop ? 0 : -1;
}

function focus(pin) {
  if (stop) stop.tabIndex = -1;
  stop = pin;
  pin.tabIndex = 0;
  pin.focus({ preventScroll: true });
}

/** Moves the keyboard's focus to the pin that shows a photo; returns whether there is one. */
export function focusPhoto(id) {
  const pin = pinOf(id);
  if (pin) focus(pin);
  return Boolean(pin);
}

const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function nearest(from, [x, y]) {
  const at = pin => map.latLngToContainerPoint(shown.get(pin).marker.getLatLng());
  const start = at(from);
  let best = null, least = Infinity;
  for (const pin of pins()) {
    if (pin === from) continue;
    const way = at(pin).subtract(start), ahead = way.x * x + way.y * y, aside = Math.abs(way.x * y - way.y * x);
    if (ahead <= 0 || aside > ahead * 2.5) continue;
    const distance = ahead + 2 * aside;
    if (distance < least) { best = pin; least = distance; }
  }
  return best;
}

pane.addEventListener('keydown', event => {
  const pin = event.target.closest('.pin');
  if (!pin || event.altKey || event.ctrlKey || event.metaKey) return;
  let to = null;
  if (event.key === 'Enter' || event.key === ' ') activate(shown.get(pin).marker);
  else if (DIRECTIONS[event.key]) to = nearest(pin, DIRECTIONS[event.key]);
  else if (event.key === 'Home' || event.key === 'End') {
    to = pins().reduce((best, other) => {
      const isNewer = shown.get(other).photo.sort > shown.get(best).photo.sort;
      return isNewer === (event.key === 'Home') ? other : best;
    });
  } else return;
  event.preventDefault();
  event.stopPropagation();
  if (to) focus(to);
});

pane.addEventListener('focusin', event => {
  const pin = event.target.closest('.pin');
  if (!pin || !shown.has(pin)) return;
  const { marker, photo } = shown.get(pin);
  focusedId = photo.id;
  marker.setZIndexOffset(2000);
  // A click does not move what is under the pointer.
  if (pin.matches(':focus-visible')) showPlace(marker.getLatLng(), false, { animate: false });
});

pane.addEventListener('focusout', event => {
  const pin = event.target.closest('.pin');
  if (pin && shown.has(pin)) shown.get(pin).marker.setZIndexOffset(0);
  // A pin that vanished under the focus is no choice of the user's.
  if (event.relatedTarget) focusedId = null;
});
