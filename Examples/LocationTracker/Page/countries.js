// The base map: countries, the names of visible ones, and the overview map of the world.
import { ask, byId, notice, svg } from './common.js';
import { map, onCircle, shown } from './map.js';

var countries = [];        // { name, box, polygons }

// Loads the countries; `loaded` is called when they are drawn.
export function loadCountries(loaded) {
  return ask('GET', '/tracker/countries.json').then(function (collection) {
    drawCountries(collection);
    loaded();
  }).catch(function (error) {
    notice('countries', 'error', 'The base map could not be loaded. ' + error.message + ' Locations are drawn without it.',
      'Try again', function () { loadCountries(loaded); });
  });
}

function drawCountries(collection) {
  countries = [];
  L.geoJSON(collection, {
    pane: 'countries', interactive: false,
    style: { className: 'land', weight: 1, fillOpacity: 1, color: '#cdc8b9', fillColor: '#f6f4ee' }
  }).addTo(map);
  collection.features.forEach(function (f) {
    var g = f.geometry || {};
    var polygons = g.type === 'Polygon' ? [g.coordinates] : g.type === 'MultiPolygon' ? g.coordinates : [];
    if (!polygons.length) return;
    var box = [Infinity, Infinity, -Infinity, -Infinity];
    polygons.forEach(function (p) {
      p[0].forEach(function (c) {
        box = [Math.min(box[0], c[0]), Math.min(box[1], c[1]), Math.max(box[2], c[0]), Math.max(box[3], c[1])];
      });
    });
    countries.push({ name: (f.properties || {}).name || f.id, box: box, polygons: polygons });
  });
  drawLocator();
}

function inside(polygons, lon, lat) {
  return polygons.some(function (rings) {
    return rings.reduce(function (odd, ring) {
      for (var i = 0, j = ring.length - 1; i < ring.length; j = i++) {
        var a = ring[i], b = ring[j];
        if ((a[1] > lat) !== (b[1] > lat) && lon < (b[0] - a[0]) * (lat - a[1]) / (b[1] - a[1]) + a[0]) odd = !odd;
      }
      return odd;
    }, false);
  });
}

// The overview map of the world next to the large one.
export function drawLocator() {
  var figure = byId('locator'), s = byId('locator-map');
  if (!countries.length) return;
  s.setAttribute('viewBox', '-180 -84 360 142');
  if (!s.querySelector('.world')) {
    svg('path', {
      'class': 'world',
      d: countries.map(function (c) {
        return c.polygons.map(function (p) {
          return p.map(function (ring) {
            return 'M' + ring.map(function (q) { return q[0].toFixed(1) + ' ' + (-q[1]).toFixed(1); }).join('L') + 'Z';
          }).join('');
        }).join('');
      }).join('')
    }, s);
  }
  s.querySelectorAll('.here,.here-ring').forEach(function (e) { e.remove(); });
  shown.pins.filter(function (p) { return p.kind === 'last'; }).forEach(function (p) {
    svg('circle', { 'class': 'here-ring', cx: p.at[0], cy: -p.at[1], r: 9 }, s);
    svg('circle', { 'class': 'here', cx: p.at[0], cy: -p.at[1], r: 3 }, s);
  });
  figure.hidden = false;
}

// A country's name is placed in its visible part, at any zoom.
export function nameCountries(size, add, free, put) {
  if (!countries.length) return;
  var columns = 27, rows = 21, near = map.getZoom() > 7 ? 12 : 2, b = map.getBounds(), seen = new Map();
  var candidates = countries.filter(function (c) {
    return c.box[0] < b.getEast() && c.box[2] > b.getWest() && c.box[1] < b.getNorth() && c.box[3] > b.getSouth();
  });
  for (var i = 0; i < columns * rows; i++) {
    var p = L.point((i % columns + 0.5) / columns * size.x, (Math.floor(i / columns) + 0.5) / rows * size.y);
    var ll = map.containerPointToLatLng(p);
    for (var j = 0; j < candidates.length; j++) {
      var c = candidates[j];
      if (ll.lng < c.box[0] || ll.lng > c.box[2] || ll.lat < c.box[1] || ll.lat > c.box[3]) continue;
      if (!inside(c.polygons, ll.lng, ll.lat)) continue;
      if (!seen.has(c)) seen.set(c, []);
      seen.get(c).push(p);
      break;
    }
  }
  Array.from(seen.entries()).sort(function (a, b) { return b[1].length - a[1].length; }).forEach(function (entry) {
    var spots = entry[1];
    if (spots.length < 3) return;
    var mid = spots.reduce(function (m, p) { return m.add(p.divideBy(spots.length)); }, L.point(0, 0));
    var label = add('label-country', inTwo(entry[0].name));
    var w = label.offsetWidth, h = label.offsetHeight;
    spots.sort(function (p, q) { return p.distanceTo(mid) - q.distanceTo(mid); }).some(function (p) {
      var box = [p.x - w / 2, p.y - h / 2, p.x + w / 2, p.y + h / 2];
      if (onCircle(box) || !free([box[0] - near, box[1] - near, box[2] + near, box[3] + near], null)) return false;
      put(label, box);
      return true;
    });
  });
}

// A long name in two lines of about the same length
function inTwo(name) {
  if (name.length < 15) return name;
  var best = -1;
  for (var i = 0; i < name.length; i++) {
    if (name[i] === ' ' && (best < 0 || Math.abs(i - name.length / 2) < Math.abs(best - name.length / 2))) best = i;
  }
  return best < 0 ? name : name.slice(0, best) + '\n' + name.slice(best + 1);
}
