// Draws locations, their paths, the circle around the last one and the places in it.
import { RADIUS, byId, count, degrees, el, moment } from './common.js';
import { drawLocator } from './locator.js';
import { labelPane, map, shown } from './map.js';
import { openTip, pinIcon, rove } from './pins.js';
import { show } from './view.js';

var journeyLayer = L.featureGroup().addTo(map);
var placesLayer = L.featureGroup().addTo(map);

export function drawPlaces(list) {
  placesLayer.clearLayers();
  shown.places.forEach(function (p) { p.label.remove(); });
  var byPoint = new Map();
  list.forEach(function (place) {
    var c = place.geometry && place.geometry.coordinates;
    if (!c) return;
    var key = c[0] + ',' + c[1];
    if (!byPoint.has(key)) byPoint.set(key, { at: [c[0], c[1]], names: [], last: -1 });
    byPoint.get(key).names.push(place.name || place._id);
  });
  shown.places = Array.from(byPoint.values()).sort(function (a, b) { return b.at[1] - a.at[1] || a.at[0] - b.at[0]; });
  shown.places.forEach(function (p) {
    var several = p.names.length > 1;
    p.marker = L.marker([p.at[1], p.at[0]], {
      pane: 'places', keyboard: false, riseOnHover: true,
      icon: pinIcon('place', several ? p.names.length : 0, several ? 'pin-shared' : '')
    });
    p.marker.feature = { type: 'Feature', properties: { names: p.names }, geometry: { type: 'Point', coordinates: p.at } };
    var tip = el('div');
    p.names.forEach(function (n) { tip.appendChild(el('p', 'tip-name', n)); });
    p.marker.bindTooltip(tip, { direction: 'auto', opacity: 1 });
    p.marker.off('mouseover').on('mouseover click', function () { openTip(p.marker); });
    placesLayer.addLayer(p.marker);
    var icon = p.marker.getElement();
    icon.setAttribute('aria-label', (several ? 'Places of interest: ' : 'Place of interest: ') + p.names.join(', '));
    icon.dataset.names = JSON.stringify(p.names);
    icon.dataset.count = p.names.length;
    p.label = el('div', 'label label-place', p.names.join('\n'));
    labelPane.appendChild(p.label);
  });
  rove(map.getPane('places'), count(list.length, 'place', 'places') + ' of interest; the arrow keys go from one to the next',
    shown.places.map(function (p) { return p.marker; }));
  byId('places-note').textContent = shown.circle && !list.length ? ' (none within)' : '';
  show();
}

// Draws tracks: { owner, colour, label, sessions } with the owner's locations in order, by session.
// The first has the circle around its newest location when `circled`.
export function draw(tracks, circled) {
  var focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.location : null;
  journeyLayer.clearLayers();
  shown.ends.forEach(function (e) { e.label.remove(); });
  Object.assign(shown, { pins: [], lines: [], ends: [], circle: null });
  var markers = [];
  tracks.forEach(function (track) { drawTrack(track, markers); });
  var newest = circled && shown.pins.length ? shown.pins[shown.pins.length - 1].at : null;
  if (newest) {
    shown.circle = L.circle([newest[1], newest[0]], {
      radius: RADIUS, pane: 'area', className: 'radius', interactive: false,
      color: '#178045', weight: 2, fillColor: '#178045', fillOpacity: 0.15
    }).addTo(journeyLayer);
    Object.assign(shown.circle.getElement().dataset, { at: JSON.stringify([newest[1], newest[0]]), metres: RADIUS });
  }
  rove(map.getPane('locations'), count(markers.length, 'location', 'locations') + '; the arrow keys go from one to the next', markers);
  refocus(markers, focused);
  drawLocator();
  show();
}

function drawTrack(track, markers) {
  var all = [].concat.apply([], track.sessions.map(function (s) { return s.locations; }));
  var newest = all.reduce(function (a, b) { return b.time >= a.time ? b : a; }, all[0]);
  track.sessions.forEach(function (session) {
    var line = session.locations.map(function (l) { return l.at; });
    shown.lines.push(line);
    var path = L.polyline(line.map(function (c) { return [c[1], c[0]]; }), {
      className: 'journey-line', interactive: false, color: '#1f5fd6', weight: 2, smoothFactor: 0.5
    }).addTo(journeyLayer);
    if (track.colour) path.getElement().style.stroke = track.colour;
    session.locations.forEach(function (l) {
      if (l !== newest) markers.push(pin(track, session, l, all.length, false));
    });
  });
  if (!newest) return;
  var of = track.sessions.filter(function (s) { return s.locations.indexOf(newest) >= 0; })[0];
  markers.push(pin(track, of, newest, all.length, true));
  if (!track.colour && track.sessions.length === 1 && all.length > 1) addEnd(all[0].at, 'Start', 'location');
  addEnd(newest.at, track.label, 'last');
}

function pin(track, session, location, among, isLast) {
  var c = location.at, kind = isLast ? 'last' : 'location';
  var when = location.time ? moment(location.time) : 'time unknown';
  var name = (track.colour ? track.owner + ': location ' : 'Location ') + location.number + ' of ' + among;
  var marker = L.marker([c[1], c[0]], {
    pane: 'locations', keyboard: false, riseOnHover: true, title: String(location.number),
    zIndexOffset: isLast ? 1000 : 0, icon: pinIcon('location', location.number, isLast ? 'pin-last' : '')
  });
  marker.restZ = isLast ? 1000 : 0;
  var tip = el('div');
  tip.appendChild(el('p', 'tip-name', name));
  tip.appendChild(el('p', 'tip-detail', when));
  tip.appendChild(el('p', 'tip-detail', degrees(c[1], 'N', 'S', 5) + ', ' + degrees(c[0], 'E', 'W', 5)));
  if (session.isMadeUp) tip.appendChild(el('p', 'tip-detail', 'Made up: not a real trace'));
  marker.bindTooltip(tip, { opacity: 1 });
  // The title shows on hover; the tip with the time opens on a click, a tap or with the keyboard.
  marker.off('mouseover').on('click', function () { openTip(marker); });
  marker.addTo(journeyLayer);
  var icon = marker.getElement();
  icon.setAttribute('aria-label', name + ', ' + when + (session.isMadeUp ? ', made up' : ''));
  icon.dataset.location = location.id;
  icon.dataset.owner = track.owner;
  icon.dataset.number = location.number;
  if (track.colour) icon.style.setProperty('--owner', track.colour);
  shown.pins.push({ at: c, kind: kind });
  return marker;
}

// Restores the keyboard focus of a pin after it was drawn again.
function refocus(markers, id) {
  var marker = id && markers.filter(function (m) { return m.getElement().dataset.location === id; })[0];
  if (!marker) return;
  markers[0].getElement().setAttribute('tabindex', '-1');
  marker.getElement().setAttribute('tabindex', '0');
  marker.getElement().focus({ preventScroll: true });
}

function addEnd(at, text, kind) {
  var label = el('div', 'label label-end', text);
  labelPane.appendChild(label);
  shown.ends.push({ at: at, label: label, kind: kind, last: -1 });
}
