// The overview map of the world next to the large one.
import { worldRings } from '/_base/base-map.js';
import { byId, svg } from './common.js';
import { shown } from './map.js';

var SIDE = 256;            // the side of the world in the units of the picture
var isDrawn = false;

// Loads the world. Without it the page has no overview map.
export function loadLocator() {
  return worldRings().then(function (rings) {
    var s = byId('locator-map');
    s.setAttribute('viewBox', '0 14 256 172');
    svg('path', {
      'class': 'world', 'fill-rule': 'evenodd',
      d: rings.map(function (ring) {
        return 'M' + ring.map(function (p) { return (p[0] * SIDE).toFixed(1) + ' ' + (p[1] * SIDE).toFixed(1); }).join('L') + 'Z';
      }).join('')
    }, s);
    isDrawn = true;
    drawLocator();
  }).catch(function () { /* the figure remains hidden */ });
}

export function drawLocator() {
  if (!isDrawn) return;
  var s = byId('locator-map');
  s.querySelectorAll('.here,.here-ring').forEach(function (e) { e.remove(); });
  shown.pins.filter(function (p) { return p.kind === 'last'; }).forEach(function (p) {
    var at = L.CRS.EPSG3857.latLngToPoint(L.latLng(p.at[1], p.at[0]), 0);
    svg('circle', { 'class': 'here-ring', cx: at.x, cy: at.y, r: 6.5 }, s);
    svg('circle', { 'class': 'here', cx: at.x, cy: at.y, r: 2.2 }, s);
  });
  byId('locator').hidden = false;
}
