// A map as an element: `<godwit-map>` shows geometries on the server's base map, and lets the user draw an area.
import { h, loadingState } from '../view.js';
import { texts } from '../texts.js';
import { clusterIcon, drawingOf, layerOf, mark, seamOf, shapeLayer } from './map-layers.js';
import { loadLibrary } from './map-library.js';
import { ROWS_MAX } from './table.js';

const BASE_MAP = '/_base/base-map.js';
/** From this number of points on, dense points are clustered. */
const CLUSTER_FROM = 60;
const CLUSTER_RADIUS = 44;
const ZOOM_MAX = 19;
/** The maximum zooms to which the view moves for all features, and for a chosen one. */
const FIT_ZOOM_MAX = 7, CHOSEN_ZOOM = 6;
const PADDING = [28, 28];
const POPUP = { maxWidth: 300, maxHeight: 240, autoPanPadding: [12, 12] };
const t = texts.map;

/**
 * The element.
 *
 * - `ready`: a promise that is fulfilled when the map can be used. It fails without Leaflet; the element shows why.
 * - `show(features, { fits })`: draws `[{ id, label, geometry, content() }]`, where `content()` returns what the popup has.
 *   At most `ROWS_MAX` are drawn, the last ones.
 * - `choose(feature)`: marks a feature, moves to it, and opens its popup.
 * - `shape`: the area, `{ type: 'box', west, south, east, north }`, `{ type: 'circle', lat, lon, radius }`,
 *   `{ type: 'geometry', geometry }`, or `null`.
 * - `draw(kind)`: the user draws a `box`, a `circle` or a `polygon`; the promise has the shape, or `null` if it was cancelled.
 * - `fit()`: moves to everything that is drawn.
 *
 * The event `choose` has the chosen feature as `detail.feature`; `detail.isOnMap` tells whether it was chosen on the map.
 */
export class MapElement extends HTMLElement {
  #map = null;
  #base = null;
  #drawing = null;
  #layers = null;
  #layerOf = new Map();
  #features = [];
  #chosen = null;
  #shape = null;
  #shapeLayer = null;
  #pending = null;
  #isFitWanted = false;
  #isStarted = false;
  #ready = resolvers();

  constructor() {
    super();
    // A caller that does not wait for the map needs no error.
    this.#ready.promise.catch(() => {});
  }

  get ready() { return this.#ready.promise; }

  connectedCallback() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#start();
  }

  disconnectedCallback() {
    // An element that is only moved is in the page again.
    queueMicrotask(() => { if (!this.isConnected) this.#dispose(); });
  }

  async #start() {
    this.replaceChildren(loadingState());
    try {
      await loadLibrary();
      if (!this.isConnected) { this.#isStarted = false; return; }
      this.#create();
      this.#ready.resolve();
    } catch (error) {
      this.replaceChildren(h('div', { class: 'state map-absent' }, h('p', null, t.absent(error.message))));
      this.#ready.reject(error);
    }
  }

  #create() {
    const place = h('div', { class: 'map-place', role: 'region', 'aria-label': this.getAttribute('label') || t.title });
    const hint = h('p', { class: 'map-hint', role: 'status', hidden: true }), credit = h('p', { class: 'map-credit' });
    this.replaceChildren(h('div', { class: 'map-area' }, place, hint), credit);
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const map = this.#map = L.map(place, {
      attributionControl: false, zoomControl: false, maxZoom: ZOOM_MAX, zoomSnap: 0.25, scrollWheelZoom: false,
      zoomAnimation: !isStill, fadeAnimation: !isStill, markerZoomAnimation: !isStill, inertia: !isStill,
    });
    map.setView([20, 0], 1, { animate: false });
    // A list shows the same documents as text.
    map.getPane('overlayPane').setAttribute('aria-hidden', 'true');
    L.control.zoom({ position: 'topright', zoomInTitle: t.zoomIn, zoomOutTitle: t.zoomOut }).addTo(map);
    L.control.scale({ position: 'bottomleft', maxWidth: 110, imperial: false }).addTo(map);
    // The wheel scrolls the page until the map is used.
    map.on('focus click', () => map.scrollWheelZoom.enable()).on('blur', () => map.scrollWheelZoom.disable());
    map.on('moveend', () => this.#wrap());
    this.sizes = new ResizeObserver(() => this.#resized());
    this.sizes.observe(place);
    this.#drawing = drawingOf(map, shape => this.#endDrawing(shape), text => {
      hint.textContent = text;
      hint.hidden = !text;
      const pending = this.#pending;
      // The hint is removed before the drawn shape is reported.
      if (!text && pending) queueMicrotask(() => { if (this.#pending === pending) this.#endDrawing(null); });
    });
    this.#addBase(credit);
    this.#drawShape();
    this.#drawFeatures();
  }

  async #addBase(credit) {
    const map = this.#map, tell = text => { credit.textContent = `${text} Leaflet.`; };
    try {
      const { addBaseMap } = await import(BASE_MAP);
      if (this.#map === map) this.#base = addBaseMap(map, { onCredit: tell });
    } catch {
      credit.textContent = t.noBase;
    }
  }

  #resized() {
    if (!this.#map) return;
    this.#map.invalidateSize({ animate: false, pan: false });
    if (this.#isFitWanted) this.fit();
  }

  /** Where the map repeats the world, the view returns to the one that has the features. */
  #wrap() {
    const center = this.#map?.getCenter(), turns = center && Math.floor((center.lng - seamOf(this.#shape)) / 360);
    if (turns) this.#map.panTo([center.lat, center.lng - 360 * turns], { animate: false });
  }

  #dispose() {
    this.#isStarted = false;
    this.sizes?.disconnect();
    this.#endDrawing(null);
    this.#drawing?.end();
    this.#map?.closePopup();
    this.#base?.remove();
    this.#map?.remove();
    // The drawing keeps the map: the map must not keep the page.
    this.#map?.off();
    this.#map = this.#base = this.#drawing = this.#layers = this.#shapeLayer = null;
    this.#layerOf.clear();
    this.replaceChildren();
  }

  // ---- Features

  show(features, { fits = true } = {}) {
    this.#features = features.slice(-ROWS_MAX);
    this.#chosen = null;
    if (!this.#map) { this.#isFitWanted ||= fits; return; }
    this.#drawFeatures();
    if (fits) this.fit();
  }

  #drawFeatures() {
    this.#layers?.remove();
    this.#map.closePopup();
    this.#layerOf.clear();
    const points = this.#features.filter(feature => feature.geometry?.type === 'Point').length;
    this.#layers = points >= CLUSTER_FROM && L.markerClusterGroup
      ? L.markerClusterGroup({ iconCreateFunction: clusterIcon, maxClusterRadius: CLUSTER_RADIUS, showCoverageOnHover: false }) : L.featureGroup();
    for (const feature of this.#features) {
      const layer = layerOf(feature.geometry, seamOf(this.#shape));
      if (!layer) continue;
      layer.on('click', () => this.#choose(feature, true));
      // A point in a cluster is drawn when the cluster opens.
      layer.on('add', () => { if (this.#chosen === feature) mark(layer, true); });
      this.#layerOf.set(feature, layer);
      this.#layers.addLayer(layer);
    }
    this.#layers.addTo(this.#map);
    if (this.#isFitWanted) this.fit();
  }

  choose(feature) { this.#choose(feature, false); }

  #choose(feature, isOnMap) {
    if (this.#layerOf.has(this.#chosen)) mark(this.#layerOf.get(this.#chosen), false);
    this.#chosen = feature;
    this.dispatchEvent(new CustomEvent('choose', { detail: { feature, isOnMap } }));
    const layer = this.#layerOf.get(feature);
    if (!layer) return;
    mark(layer, true);
    if (isOnMap) return this.#open(feature, layer);
    if (this.#layers.zoomToShowLayer && layer.getLatLng) return this.#layers.zoomToShowLayer(layer, () => this.#open(feature, layer));
    if (layer.getLatLng) this.#map.setView(layer.getLatLng(), Math.max(this.#map.getZoom(), CHOSEN_ZOOM), { animate: false });
    else this.#map.fitBounds(layer.getBounds(), { padding: PADDING, maxZoom: FIT_ZOOM_MAX, animate: false });
    this.#open(feature, layer);
  }

  #open(feature, layer) {
    if (!this.#map || this.#chosen !== feature) return;
    mark(layer, true);
    const content = h('div', { class: 'map-popup' }, feature.content?.() ?? feature.label);
    L.popup(POPUP).setLatLng(layer.getLatLng ? layer.getLatLng() : layer.getBounds().getCenter()).setContent(content).openOn(this.#map);
  }

  fit() {
    const size = this.#map?.getSize();
    if (!size?.x || !size.y) { this.#isFitWanted = true; return; }
    this.#isFitWanted = false;
    const bounds = L.latLngBounds([]);
    for (const layer of this.#layerOf.values()) bounds.extend(layer.getLatLng ? layer.getLatLng() : layer.getBounds());
    if (this.#shapeLayer) bounds.extend(this.#shapeLayer.getBounds());
    if (bounds.isValid()) this.#map.fitBounds(bounds, { padding: PADDING, maxZoom: FIT_ZOOM_MAX, animate: false });
  }

  // ---- The area

  get shape() { return this.#shape; }

  set shape(shape) {
    const isMoved = seamOf(shape) !== seamOf(this.#shape);
    this.#shape = shape;
    if (!this.#map) return;
    this.#drawShape();
    if (isMoved) this.#drawFeatures();
  }

  #drawShape() {
    this.#shapeLayer?.remove();
    try {
      this.#shapeLayer = this.#shape && shapeLayer(this.#shape).addTo(this.#map);
    } catch { /* a shape that cannot be drawn, such as a circle at a pole */
      this.#shapeLayer = null;
    }
  }

  async draw(kind) {
    await this.ready;
    this.#endDrawing(null);
    this.#map.closePopup();
    this.#drawing.begin(kind);
    this.#pending = resolvers();
    return this.#pending.promise;
  }

  /** Ends a drawing that the user cancels in another way than with Escape. */
  cancel() { this.#drawing?.stop(); }

  #endDrawing(shape) {
    this.#pending?.resolve(shape);
    this.#pending = null;
  }
}

function resolvers() {
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
}

customElements.define('godwit-map', MapElement);
