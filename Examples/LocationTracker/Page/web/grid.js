// The lines of latitude and longitude.
import { degrees } from './common.js';
import { map, onCircle } from './map.js';

var gridLayer = L.layerGroup().addTo(map);

var gridLines = [];

function gridStep() {
  var steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
  var perDegree = 256 * Math.pow(2, map.getZoom()) / 360;
  var step = steps[0];
  steps.forEach(function (s) { if (s * perDegree >= 105) step = s; });
  return step;
}

export function drawGrid() {
  gridLayer.clearLayers();
  gridLines = [];
  var step = gridStep(), b = map.getBounds().pad(0.15);
  var style = { pane: 'grid', className: 'grid-line', interactive: false, weight: 1, color: '#9ab' };
  var south = Math.max(b.getSouth(), -85), north = Math.min(b.getNorth(), 85);
  var west = Math.max(b.getWest(), -180), east = Math.min(b.getEast(), 180), v, i;
  for (i = Math.ceil(west / step); i * step <= east; i++) {
    v = i * step;
    gridLines.push({ lon: v });
    L.polyline([[south, v], [north, v]], style).addTo(gridLayer);
  }
  for (i = Math.ceil(south / step); i * step <= north; i++) {
    v = i * step;
    gridLines.push({ lat: v });
    L.polyline([[v, west], [v, east]], style).addTo(gridLayer);
  }
}

export function nameGrid(add, free, put) {
  var step = gridStep(), digits = Math.max(0, Math.ceil(-Math.log(step) / Math.LN10 - 1e-9));
  var c = map.getCenter();
  gridLines.forEach(function (g) {
    var label, p;
    if (g.lon !== undefined) {
      label = add('label-grid', degrees(g.lon, 'E', 'W', digits));
      p = map.latLngToContainerPoint([c.lat, g.lon]);
      p = L.point(p.x - label.offsetWidth / 2, 4);
    } else {
      label = add('label-grid', degrees(g.lat, 'N', 'S', digits));
      p = map.latLngToContainerPoint([g.lat, c.lng]);
      p = L.point(6, p.y - label.offsetHeight / 2);
    }
    var box = [p.x, p.y, p.x + label.offsetWidth, p.y + label.offsetHeight];
    if (!onCircle(box) && free(box, null)) put(label, box);
  });
}
