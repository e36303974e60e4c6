// The view of the map: all drawn items, or the world.
import { overlap, union } from './boxes.js';
import { RADIUS } from './common.js';
import { layout } from './labels.js';
import { addFitButton, controlBoxes, labelPane, map, pinBox, shown } from './map.js';

// The longitude in the centre of the world's view, if the map is too narrow for all of it.
var WORLD_MIDDLE = 10;

var userMoved = false, fitting = false;
var followed = null;       // the owner whose pins the view fits; all without one

// Fits the view to every pin, the complete circle and the places in it, none of them under a control: the largest view
// over all combinations of margins at the controls.
function fit() {
  map.invalidateSize({ pan: false, animate: false });
  var size = map.getSize();
  if (size.x < 40 || size.y < 40) return;
  var pins = shown.pins.filter(function (p) { return !followed || p.owner === followed; });
  if (!pins.length) { look(world(size)); return; }
  var at0 = function (c) { return map.project([c[1], c[0]], 0); };
  var items = pins.map(function (p) { return { p: at0(p.at), kind: p.kind }; });
  shown.places.forEach(function (p) { items.push({ p: at0(p.at), kind: 'place' }); });
  var circle0 = shown.circle ? circleAt0(shown.circle.getLatLng(), at0) : null;
  var controls = controlBoxes();
  var gap = 8;

  function boxes(zoom) {
    var k = Math.pow(2, zoom);
    var list = items.map(function (i) { return pinBox(i.p.multiplyBy(k), i.kind); });
    if (!circle0) return { list: list, circle: null, all: list.reduce(union) };
    var r = circle0.radius * k + 2, c = circle0.centre.multiplyBy(k);
    return { list: list, circle: { x: c.x, y: c.y, r: r }, all: list.concat([[c.x - r, c.y - r, c.x + r, c.y + r]]).reduce(union) };
  }

  // The largest view whose items leave the margins `pad` (left, top, right, bottom) free.
  function viewFor(pad) {
    var low = map.getMinZoom(), high = 16, w = size.x - pad[0] - pad[2], h = size.y - pad[1] - pad[3];
    if (w < 20 || h < 20) return null;
    for (var i = 0; i < 26; i++) {
      var mid = (low + high) / 2, all = boxes(mid).all;
      if (all[2] - all[0] <= w && all[3] - all[1] <= h) low = mid; else high = mid;
    }
    var b = boxes(low);
    return {
      zoom: low, boxes: b,
      // The pixel of the world at the map's top left corner.
      left: (b.all[0] + b.all[2]) / 2 - (pad[0] + w / 2),
      top: (b.all[1] + b.all[3]) / 2 - (pad[1] + h / 2)
    };
  }

  function covered(view) {
    return controls.some(function (c) {
      var box = [c[0] + view.left - 4, c[1] + view.top - 4, c[2] + view.left + 4, c[3] + view.top + 4];
      var o = view.boxes.circle;
      var dx = o ? Math.max(box[0] - o.x, 0, o.x - box[2]) : 0, dy = o ? Math.max(box[1] - o.y, 0, o.y - box[3]) : 0;
      return (o && dx * dx + dy * dy < o.r * o.r) || view.boxes.list.some(function (b) { return overlap(b, box); });
    });
  }

  var strips = [0, 0, 0, 0];
  controls.forEach(function (c) {
    if (c[2] < size.x / 2) strips[0] = Math.max(strips[0], c[2]); else strips[2] = Math.max(strips[2], size.x - c[0]);
    if (c[3] < size.y / 2) strips[1] = Math.max(strips[1], c[3]); else strips[3] = Math.max(strips[3], size.y - c[1]);
  });
  var best = null;
  for (var mask = 0; mask < 81; mask++) {
    // The margin of each side is zero, half of its controls' size, or their complete size.
    var m = mask;
    var pad = strips.map(function (s) { var part = (m % 3) / 2; m = Math.floor(m / 3); return gap + s * part; });
    var view = viewFor(pad);
    if (view && (!best || view.zoom > best.zoom + 1e-6) && !covered(view)) best = view;
  }
  best = best || viewFor([gap, gap, gap, gap]) || viewFor([0, 0, 0, 0]);
  if (best) look({ middle: [best.left + size.x / 2, best.top + size.y / 2], zoom: best.zoom });
}

// Moves the map: to a pixel of the world, at a zoom.
function look(at) {
  fitting = true;
  map.setView(map.unproject(at.middle, at.zoom), at.zoom, { animate: false });
  fitting = false;
  userMoved = false;
  layout();
}

// The view of the world, if nothing is drawn: it fills the map, from the north of Greenland to the south of Chile.
function world(size) {
  var north = map.project([84, WORLD_MIDDLE], 0), south = map.project([-58, WORLD_MIDDLE], 0);
  var zoom = Math.max(Math.log2(size.x / 256), Math.log2(size.y / (south.y - north.y)), map.getMinZoom());
  var k = Math.pow(2, zoom);
  return { middle: [south.x * k, south.y * k - size.y / 2], zoom: zoom };
}

// The circle in pixels of the world at zoom 0.
function circleAt0(at, at0) {
  var reach = RADIUS / 6371000 * 180 / Math.PI, middle = at0([at.lng, at.lat]);
  var north = at0([at.lng, at.lat + reach]), south = at0([at.lng, at.lat - reach]);
  return {
    centre: middle.add([0, (north.y + south.y) / 2 - middle.y]),
    radius: (south.y - north.y) / 2 * 1.002
  };
}

// ---- Events of the map

map.on('movestart', function () { if (!fitting) userMoved = true; });
map.on('zoomstart', function () { labelPane.classList.add('moving'); });
map.on('moveend', function () { if (!fitting) layout(); });

var resizing = 0;
function resized() {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(function () {
    if (userMoved) map.invalidateSize({ pan: true, animate: false }); else fit();
  });
}
new ResizeObserver(resized).observe(map.getContainer());

// Shows the drawn items: all of them, or the view to which the user moved the map.
export function show() { if (userMoved) layout(); else fit(); }

// Discards the user's view: the next drawings fit all items, or those of one owner.
export function follow(owner) {
  userMoved = false;
  followed = owner || null;
}

addFitButton(function () {
  follow();
  fit();
});
fit();
