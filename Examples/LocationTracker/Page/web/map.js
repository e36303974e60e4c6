// The map itself, the drawn items, and its controls.
import { addBaseMap } from '/_base/base-map.js';
import { byId, svg } from './common.js';

var reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;

export var map = L.map('map', {
  zoomControl: false,
  attributionControl: false,   // the credits are below the legend
  trackResize: false,          // the observer below resizes the map
  zoomSnap: 0,                 // a fitted view fills the map
  zoomDelta: 1,
  minZoom: 1,
  maxZoom: 18,
  zoomAnimation: !reduced,
  fadeAnimation: !reduced,
  markerZoomAnimation: !reduced,
  inertia: !reduced
});

[['grid', 210], ['area', 390], ['locations', 610], ['places', 620], ['labels', 630]].forEach(function (p) {
  map.createPane(p[0]).style.zIndex = p[1];
});
export var labelPane = map.getPane('labels');
// The pins have names; the rest of the map is a picture.
['grid', 'area', 'labels', 'overlayPane'].forEach(function (name) { map.getPane(name).setAttribute('aria-hidden', 'true'); });

L.control.zoom({ position: 'topright', zoomInTitle: 'Zoom in', zoomOutTitle: 'Zoom out' }).addTo(map);
var scale = L.control.scale({ position: 'bottomleft', maxWidth: 110 }).addTo(map);

// Leaflet draws nothing without a view; view.js sets the visible one.
map.setView([0, 0], 1, { animate: false });

var occupied = [];         // the boxes of the page's own labels, pins and controls

// The world below everything; its names leave the page's own labels free. The page draws its own grid.
export var baseMap = addBaseMap(map, {
  grid: false,
  occupied: function () { return occupied; },
  onCredit: function (text) { byId('base-credit').textContent = text; }
});

export function setOccupied(boxes) {
  occupied = boxes;
  baseMap.redraw();
}

// The drawn items.
export var shown = {
  pins: [],                // locations: { at: [lon, lat], kind, location, owner, colour, isMadeUp, among }
  groups: [],              // pins of the current zoom: { at, kind, items }
  lines: [],               // lists of points
  ends: [],                // labels of first and last locations: { at, label, kind }
  places: [],              // places by point: { at, names }
  placeGroups: [],         // pins of places at the current zoom: { at, items, names, label, last }
  circle: null             // Leaflet's, around the last location of a user
};

// Adds the button that fits the map to all drawn items.
export function addFitButton(fit) {
  var FitControl = L.Control.extend({
    onAdd: function () {
      var bar = L.DomUtil.create('div', 'leaflet-bar leaflet-control');
      var a = L.DomUtil.create('a', 'fit-button', bar);
      a.href = '#';
      a.title = 'Show everything';
      a.setAttribute('role', 'button');
      a.setAttribute('aria-label', 'Show everything');
      var s = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, a);
      svg('path', { d: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5' }, s);
      svg('circle', { cx: 12, cy: 12, r: 2.5 }, s);
      L.DomEvent.disableClickPropagation(bar);
      L.DomEvent.on(a, 'click', function (e) { L.DomEvent.preventDefault(e); fit(); });
      return bar;
    }
  });
  new FitControl({ position: 'topright' }).addTo(map);
}

// The boxes of the controls in the map; for the scale bar its maximum width counts.
export function controlBoxes() {
  var frame = map.getContainer().getBoundingClientRect();
  return Array.prototype.map.call(map.getContainer().querySelectorAll('.leaflet-control'), function (c) {
    var r = c.getBoundingClientRect();
    var w = c.classList.contains('leaflet-control-scale') ? Math.max(r.width, scale.options.maxWidth + 4) : r.width;
    return [r.left - frame.left, r.top - frame.top, r.left - frame.left + w, r.bottom - frame.top];
  });
}

// Whether a box in the map touches the circle.
export function onCircle(box) {
  if (!shown.circle) return false;
  var b = shown.circle.getBounds(), n = map.latLngToContainerPoint(b.getNorthWest()), s = map.latLngToContainerPoint(b.getSouthEast());
  var x = (n.x + s.x) / 2, y = (n.y + s.y) / 2, r = (s.y - n.y) / 2 + 3;
  var dx = Math.max(box[0] - x, 0, x - box[2]), dy = Math.max(box[1] - y, 0, y - box[3]);
  return dx * dx + dy * dy < r * r;
}

// ---- Sizes

// The sizes of pins by kind in pixels, as in tracker.css: `below` is the part below the pin's point, and `head` the height
// of the middle of its head above the point.
export var PINS = {
  location: { width: 26, height: 26, below: 13, head: 0 },
  many: { width: 30, height: 30, below: 15, head: 0 },
  last: { width: 30, height: 72, below: 0, head: 58 },
  place: { width: 30, height: 40, below: 0, head: 26 }
};

// The box of a pin whose point is at a pixel.
export function pinBox(p, kind) {
  var pin = PINS[kind], bottom = p.y + pin.below;
  return [p.x - pin.width / 2, bottom - pin.height, p.x + pin.width / 2, bottom + 1];
}
