// Pins: their icons, keyboard navigation between them, and their tips.
import { el, svg } from './common.js';
import { map } from './map.js';

var HEAD = 'M12 30.5S21.8 19.4 21.8 11.4a9.8 9.8 0 1 0-19.6 0C2.2 19.4 12 30.5 12 30.5Z';
// The last location has a longer stem: its head is above that of a place at the same point.
var TALL = 'M12 56.5C12 56.5 12.4 24.5 16.4 20.2A9.8 9.8 0 1 0 7.6 20.2C11.6 24.5 12 56.5 12 56.5Z';
var LINES_MAX = 12;        // the maximum number of names in a tip

// The icon of a pin of a kind. Its number is shown in it, or without one a dot.
export function pinIcon(kind, number) {
  var round = { location: 26, many: 30 }[kind];
  var s = svg('svg', {
    viewBox: round ? '0 0 ' + round + ' ' + round : kind === 'last' ? '0 0 24 58' : '0 0 24 32',
    'aria-hidden': 'true', focusable: 'false'
  });
  if (round) svg('circle', { 'class': 'pin-body', cx: round / 2, cy: round / 2, r: round / 2 - 2 }, s);
  else svg('path', { 'class': 'pin-body', d: kind === 'last' ? TALL : HEAD }, s);
  if (number) {
    var long = String(number).length > 2;
    svg('text', {
      'class': 'pin-number' + (long ? ' long' : ''), x: round ? round / 2 : 12, y: (round ? round / 2 : 11.4) + (long ? 3.2 : 4)
    }, s).textContent = number;
  } else {
    svg('circle', { 'class': 'pin-eye', cx: 12, cy: 11.4, r: 3.8 }, s);
  }
  return L.divIcon({ className: 'pin pin-' + kind, html: s, iconSize: null, tooltipAnchor: [0, round ? 0 : -20] });
}

// The content of a tip: a name and details.
export function tip(names, details) {
  var content = el('div');
  names.slice(0, LINES_MAX).forEach(function (name) { content.appendChild(el('p', 'tip-name', name)); });
  if (names.length > LINES_MAX) content.appendChild(el('p', 'tip-detail', 'and ' + (names.length - LINES_MAX) + ' more'));
  details.forEach(function (text) { content.appendChild(el('p', 'tip-detail', text)); });
  return content;
}

// Opens a pin of one or several items: shows several apart if a higher zoom can, and otherwise the tip.
export function open(marker, items) {
  var bounds = L.latLngBounds(items.map(function (item) { return [item.at[1], item.at[0]]; }));
  var isPoint = bounds.getSouthWest().equals(bounds.getNorthEast(), 0);
  var padding = L.point(120, 120);
  if (items.length < 2 || isPoint || map.getBoundsZoom(bounds, false, padding) < map.getZoom() + 0.25) return openTip(marker);
  map.fitBounds(bounds, { padding: [60, 60], maxZoom: map.getMaxZoom(), animate: false });
}

// One stop of the Tab key for a group of pins; the arrow keys go from pin to pin. A marker's `open` is called by Enter.
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
      if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); e.stopPropagation(); marker.open(); return; }
      if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      e.stopPropagation();
      if (markers[to]) focus(markers[to], icon);
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

// Moves the keyboard focus to a pin, the Tab key's stop from now on.
export function focus(marker, before) {
  if (before) before.setAttribute('tabindex', '-1');
  marker.getElement().setAttribute('tabindex', '0');
  marker.getElement().focus({ preventScroll: true });
}

// A tip opens on the side that has space, within the map, and only one at a time.
var openMarker = null;
export function openTip(marker) {
  if (openMarker && openMarker !== marker) openMarker.closeTooltip();
  openMarker = marker;
  var p = map.latLngToContainerPoint(marker.getLatLng()), size = map.getSize();
  var tooltip = marker.getTooltip();
  tooltip.options.direction = p.x < size.x / 2 ? 'right' : 'left';
  tooltip.options.offset = L.point(p.x < size.x / 2 ? 12 : -12, 0);
  marker.openTooltip();
  var frame = map.getContainer().getBoundingClientRect(), box = tooltip.getElement().getBoundingClientRect();
  var down = Math.max(frame.top + 4 - box.top, 0) + Math.min(frame.bottom - 4 - box.bottom, 0);
  tooltip.getElement().classList.toggle('moved', down !== 0);
  if (!down) return;
  tooltip.options.offset = tooltip.options.offset.add([0, down]);
  tooltip.update();
}
map.on('click', function () { if (openMarker) openMarker.closeTooltip(); });
