// Pins: their icons, keyboard navigation between them, and their tips.
import { svg } from './common.js';
import { map } from './map.js';

export function pinIcon(kind, number, extra) {
  // The last location has a longer stem, to be visible behind a place at the same point.
  var tall = extra === 'pin-last';
  var s = svg('svg', { viewBox: tall ? '0 0 24 46' : '0 0 24 32', 'aria-hidden': 'true', focusable: 'false' });
  svg('path', {
    'class': 'pin-body',
    d: tall ? 'M12 45C12 45 12.6 24.5 16.4 20.2A9.8 9.8 0 1 0 7.6 20.2C11.4 24.5 12 45 12 45Z'
      : 'M12 30.5S21.8 19.4 21.8 11.4a9.8 9.8 0 1 0-19.6 0C2.2 19.4 12 30.5 12 30.5Z'
  }, s);
  svg('circle', { 'class': 'pin-eye', cx: 12, cy: 11.4, r: 3.8 }, s);
  if (number) {
    var long = String(number).length > 2 && !tall;
    svg('text', { 'class': 'pin-number' + (long ? ' long' : ''), x: 12, y: extra === 'pin-shared' ? 16 : long ? 14.5 : 15.2 }, s).textContent = number;
  }
  return L.divIcon({
    className: 'pin pin-' + kind + (extra ? ' ' + extra : ''),
    html: s, iconSize: null, tooltipAnchor: [0, -14]
  });
}

// One stop of the Tab key for a group of pins; the arrow keys go from pin to pin.
export function rove(pane, label, markers) {
  pane.setAttribute('role', 'group');
  pane.setAttribute('aria-label', label);
  markers.forEach(function (marker, i) {
    var icon = marker.getElement();
    icon.setAttribute('role', 'img');
    icon.setAttribute('tabindex', i === 0 ? '0' : '-1');
    icon.addEventListener('keydown', function (e) {
      var to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: markers.length - 1 }[e.key];
      if (e.key === 'Escape') { marker.closeTooltip(); return; }
      if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); e.stopPropagation(); openTip(marker); return; }
      if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      e.stopPropagation();
      if (!markers[to]) return;
      icon.setAttribute('tabindex', '-1');
      var next = markers[to].getElement();
      next.setAttribute('tabindex', '0');
      next.focus({ preventScroll: true });
    });
    icon.addEventListener('focus', function () {
      if (!map.getBounds().contains(marker.getLatLng())) map.panTo(marker.getLatLng(), { animate: false });
      marker.setZIndexOffset(2000);
      pane.classList.add('in-front');
      openTip(marker);
    });
    icon.addEventListener('blur', function () { pane.classList.remove('in-front'); marker.setZIndexOffset(marker.restZ || 0); marker.closeTooltip(); });
  });
}

// A tip opens on the side that has space, and only one at a time.
var openMarker = null;
export function openTip(marker) {
  if (openMarker && openMarker !== marker) openMarker.closeTooltip();
  openMarker = marker;
  var p = map.latLngToContainerPoint(marker.getLatLng()), size = map.getSize();
  var tip = marker.getTooltip();
  tip.options.direction = p.x < size.x / 2 ? 'right' : 'left';
  tip.options.offset = L.point(p.x < size.x / 2 ? 8 : -8, 0);
  marker.openTooltip();
}
map.on('click', function () { if (openMarker) openMarker.closeTooltip(); });
