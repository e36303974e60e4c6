// Labels: names of places, ends of the journey and the grid, where they do not collide.
import { crosses, meets, overlap } from './boxes.js';
import { el, svg } from './common.js';
import { drawGrid, nameGrid } from './grid.js';
import { PINS, controlBoxes, labelPane, map, pinBox, setOccupied, shown } from './map.js';

var ANGLES = [0, 180, -35, 35, 145, -145, -65, 65, 115, -115].map(function (d) { return d * Math.PI / 180; });
var DISTANCES = [0, 12, 26, 42, 62, 86, 114, 146];
var leaders = svg('svg', { 'class': 'leaders' }, labelPane);
var passing = [];          // the labels of the grid, created again each time

export function layout() {
  var size = map.getSize(), origin = map.containerPointToLayerPoint([0, 0]);
  var view = [2, 2, size.x - 2, size.y - 2];
  var taken = controlBoxes().map(function (c) { return [c[0] - 3, c[1] - 3, c[2] + 3, c[3] + 3]; });
  var lines = [];
  passing.forEach(function (e) { e.remove(); });
  passing = [];
  leaders.textContent = '';
  drawGrid();

  function pixel(c) { return map.latLngToContainerPoint([c[1], c[0]]); }
  shown.groups.forEach(function (g) { taken.push(pinBox(pixel(g.at), g.kind)); });
  shown.placeGroups.forEach(function (g) { taken.push(pinBox(pixel(g.at), 'place')); });

  function free(box, leader, own) {
    if (box[0] < view[0] || box[1] < view[1] || box[2] > view[2] || box[3] > view[3]) return false;
    var grown = [box[0] - 2, box[1] - 1, box[2] + 2, box[3] + 1];
    for (var i = 0; i < taken.length; i++) if (overlap(grown, taken[i])) return false;
    for (i = 0; i < lines.length; i++) if (crosses(lines[i], grown)) return false;
    if (leader) {
      for (i = 0; i < own.labels.length; i++) if (crosses(leader, own.labels[i])) return false;
      for (i = 0; i < lines.length; i++) if (meets(leader, lines[i])) return false;
    }
    return true;
  }

  function put(label, box) {
    L.DomUtil.setPosition(label, L.point(Math.round(box[0]), Math.round(box[1])).add(origin));
    label.classList.add('shown');
    taken.push(box);
    labelBoxes.push(box);
  }

  var labelBoxes = [];
  var reach = Math.min(size.x, size.y) < 480 ? 90 : 150;
  var lastPins = shown.groups.filter(function (g) { return g.kind === 'last'; }).map(function (g) { return pinBox(pixel(g.at), 'last'); });
  function place(item, kind) {
    item.label.classList.remove('shown', 'to-left');
    var p = pixel(item.at);
    if (p.x < 0 || p.y < 0 || p.x > size.x || p.y > size.y) { item.last = -1; return; }
    (item.texts || [item.label.textContent]).some(function (text) {
      item.label.textContent = text;
      return fits(item, kind, p);
    });
  }

  // Puts a label next to its pin; false if there is no space.
  function fits(item, kind, p) {
    var pin = PINS[kind];
    var w = item.label.offsetWidth, h = item.label.offsetHeight;
    var r = pin.width / 2 + 3, cy = p.y - pin.head;
    var order = [];
    for (var i = 0; i < DISTANCES.length * ANGLES.length; i++) order.push(i);
    if (item.last >= 0) order.unshift(item.last);       // a label stays at its position, if it can
    for (i = 0; i < order.length; i++) {
      var d = DISTANCES[Math.floor(order[i] / ANGLES.length)], angle = ANGLES[order[i] % ANGLES.length];
      if (d > reach) continue;
      var cos = Math.cos(angle), sin = Math.sin(angle);
      var a = [p.x + cos * (r + d), cy + sin * (r + d)];
      var left = cos > 0 ? a[0] : a[0] - w;
      var box = [left, a[1] - h / 2, left + w, a[1] + h / 2];
      var leader = d > 4 ? [p.x + cos * (r - 2), cy + sin * (r - 2), a[0] - cos * 1, a[1] - sin * 1] : null;
      if (!free(box, leader, { labels: labelBoxes })) continue;
      if (leader && kind !== 'last' && lastPins.some(function (b) { return crosses(leader, b); })) continue;
      item.last = order[i];
      if (cos < 0) item.label.classList.add('to-left');
      put(item.label, box);
      if (leader) {
        lines.push(leader);
        svg('line', {
          x1: leader[0] + origin.x, y1: leader[1] + origin.y, x2: leader[2] + origin.x, y2: leader[3] + origin.y,
          'class': kind === 'place' ? '' : 'of-end'
        }, leaders);
      }
      return true;
    }
    item.last = -1;
    return false;
  }

  shown.ends.forEach(function (e) { place(e, e.kind); });
  shown.placeGroups.forEach(function (g) { place(g, 'place'); });
  nameGrid(passingLabel, free, put);
  labelPane.classList.remove('moving');
  setOccupied(taken);
}

function passingLabel(className, text) {
  var label = el('div', 'label ' + className, text);
  labelPane.appendChild(label);
  passing.push(label);
  return label;
}
