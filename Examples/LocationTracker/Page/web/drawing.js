// Draws locations, their paths, the circle around the last one and the places in it.
import { RADIUS, byId, count, degrees, el, moment, span } from './common.js';
import { grouped } from './groups.js';
import { drawLocator } from './locator.js';
import { labelPane, map, shown } from './map.js';
import { focus, open, openTip, pinIcon, rove, tip } from './pins.js';
import { show } from './view.js';

var NAMES_MAX = 3;         // the maximum number of names in the label of several places

var pathLayer = L.featureGroup().addTo(map);
var locationsLayer = L.featureGroup().addTo(map);
var placesLayer = L.featureGroup().addTo(map);

// ---- Places

export function drawPlaces(list) {
  var byPoint = new Map();
  list.forEach(function (place) {
    var c = place.geometry && place.geometry.coordinates;
    if (!c) return;
    var key = c[0] + ',' + c[1];
    if (!byPoint.has(key)) byPoint.set(key, { at: [c[0], c[1]], names: [] });
    byPoint.get(key).names.push(place.name || place._id);
  });
  shown.places = Array.from(byPoint.values()).sort(function (a, b) { return b.at[1] - a.at[1] || a.at[0] - b.at[0]; });
  byId('places-note').textContent = shown.circle && !list.length ? ' (none within)' : '';
  groupPlaces();
  show();
}

function groupPlaces() {
  placesLayer.clearLayers();
  shown.placeGroups.forEach(function (group) { group.label.remove(); });
  shown.placeGroups = grouped(shown.places, map.getZoom());
  var markers = shown.placeGroups.map(placePin);
  var all = shown.places.reduce(function (sum, place) { return sum + place.names.length; }, 0);
  rove(map.getPane('places'), count(all, 'place', 'places') + ' of interest; the arrow keys go from one to the next', markers);
}

function placePin(group) {
  group.names = [].concat.apply([], group.items.map(function (place) { return place.names; }));
  group.last = -1;
  var several = group.names.length > 1;
  var marker = L.marker([group.at[1], group.at[0]], {
    pane: 'places', keyboard: false, riseOnHover: true, icon: pinIcon('place', several ? group.names.length : 0)
  });
  marker.bindTooltip(tip(group.names, []), { direction: 'auto', opacity: 1 });
  marker.open = function () { open(marker, group.items); };
  marker.off('mouseover').on('mouseover', function () { openTip(marker); }).on('click', marker.open);
  placesLayer.addLayer(marker);
  var icon = marker.getElement();
  icon.setAttribute('aria-label', (several ? 'Places of interest: ' : 'Place of interest: ') + group.names.join(', '));
  icon.dataset.count = group.names.length;
  // The label is the names, or the number of places if there are too many or no space for the names.
  group.texts = (group.names.length > NAMES_MAX ? [] : [group.names.join('\n')])
    .concat(several ? [count(group.names.length, 'place', 'places')] : []);
  group.label = el('div', 'label label-place', group.texts[0]);
  labelPane.appendChild(group.label);
  return marker;
}

// ---- Locations

// Draws tracks: { owner, colour, label, sessions } with the owner's locations in order, by session.
// The first has the circle around its newest location when `circled`.
export function draw(tracks, circled) {
  pathLayer.clearLayers();
  shown.ends.forEach(function (e) { e.label.remove(); });
  Object.assign(shown, { pins: [], lines: [], ends: [], circle: null });
  tracks.forEach(drawTrack);
  var newest = circled && shown.pins.length ? shown.pins[shown.pins.length - 1].at : null;
  if (newest) {
    shown.circle = L.circle([newest[1], newest[0]], {
      radius: RADIUS, pane: 'area', className: 'radius', interactive: false,
      color: '#178045', weight: 2, fillColor: '#178045', fillOpacity: 0.15
    }).addTo(pathLayer);
    Object.assign(shown.circle.getElement().dataset, { at: JSON.stringify([newest[1], newest[0]]), metres: RADIUS });
  }
  groupLocations();
  drawLocator();
  show();
}

function drawTrack(track) {
  var all = [].concat.apply([], track.sessions.map(function (s) { return s.locations; }));
  var newest = all.reduce(function (a, b) { return b.time >= a.time ? b : a; }, all[0]);
  function add(session, location) {
    shown.pins.push({
      at: location.at, kind: location === newest ? 'last' : 'location', location: location, owner: track.owner,
      colour: track.colour, isMadeUp: session.isMadeUp, among: all.length
    });
  }
  track.sessions.forEach(function (session) {
    var line = session.locations.map(function (l) { return l.at; });
    shown.lines.push(line);
    var path = L.polyline(line.map(function (c) { return [c[1], c[0]]; }), {
      className: 'journey-line', interactive: false, color: '#1f5fd6', weight: 2, smoothFactor: 0.5
    }).addTo(pathLayer);
    if (track.colour) path.getElement().style.stroke = track.colour;
    session.locations.forEach(function (l) { if (l !== newest) add(session, l); });
  });
  if (!newest) return;
  add(track.sessions.filter(function (s) { return s.locations.indexOf(newest) >= 0; })[0], newest);
  if (!track.colour && track.sessions.length === 1 && all.length > 1) addEnd(all[0].at, 'Start', 'location');
  addEnd(newest.at, track.label, 'last');
}

// Draws the pins for the current zoom. The keyboard's focus stays on the pin of its location.
function groupLocations() {
  var focused = document.activeElement && document.activeElement.dataset.location;
  var order = new Map(shown.pins.map(function (pin, i) { return [pin, i]; }));
  var isFirst = function (pin) { return pin.location.number === 1; };
  // Last and first locations take precedence over those between them.
  var precedence = function (pin) { return pin.kind === 'last' ? 0 : isFirst(pin) ? 1 : 2; };
  locationsLayer.clearLayers();
  shown.groups = grouped(shown.pins.slice().sort(function (a, b) { return precedence(a) - precedence(b); }), map.getZoom());
  shown.groups.sort(function (a, b) { return order.get(a.items[0]) - order.get(b.items[0]); });
  var markers = shown.groups.map(locationPin);
  rove(map.getPane('locations'), count(shown.pins.length, 'location', 'locations') + '; the arrow keys go from one to the next', markers);
  var index = shown.groups.findIndex(function (group) {
    return group.items.some(function (pin) { return pin.location.id === focused; });
  });
  if (focused && index >= 0) focus(markers[index], markers[0].getElement());
}

function locationPin(group) {
  var first = group.items[0], isLast = first.kind === 'last', several = group.items.length > 1;
  var owners = Array.from(new Set(group.items.map(function (pin) { return pin.owner; })));
  group.kind = isLast ? 'last' : several ? 'many' : 'location';
  var text = isLast || !several ? describeOne(first) : describeSeveral(group.items, owners);
  if (isLast && several) text.details.push('and ' + count(group.items.length - 1, 'more location', 'more locations') + ' here');
  var number = group.kind === 'many' ? group.items.length : first.location.number;
  var marker = L.marker([first.at[1], first.at[0]], {
    pane: 'locations', keyboard: false, riseOnHover: true, title: text.name, zIndexOffset: isLast ? 1000 : 0,
    icon: pinIcon(group.kind, number)
  });
  marker.restZ = isLast ? 1000 : 0;
  marker.bindTooltip(tip([text.name], text.details), { opacity: 1 });
  marker.open = function () { open(marker, isLast ? [first] : group.items); };
  // The title shows on hover; the tip with the time opens on a click, a tap or with the keyboard.
  marker.off('mouseover').on('click', marker.open);
  marker.addTo(locationsLayer);
  var icon = marker.getElement();
  icon.classList.add('pin-location');
  icon.setAttribute('aria-label', [text.name].concat(text.details).join(', '));
  Object.assign(icon.dataset, {
    location: first.location.id, owner: owners.length === 1 ? owners[0] : '', owners: JSON.stringify(owners), number: number,
    count: group.items.length
  });
  if (owners.length > 1) icon.style.setProperty('--owner', 'var(--ink-quiet)');
  else if (first.colour) icon.style.setProperty('--owner', first.colour);
  return marker;
}

function describeOne(pin) {
  var c = pin.at, number = pin.location.number + ' of ' + pin.among;
  return {
    name: pin.colour ? pin.owner + ': location ' + number : 'Location ' + number,
    details: [
      pin.location.time ? moment(pin.location.time) : 'time unknown', degrees(c[1], 'N', 'S', 5) + ', ' + degrees(c[0], 'E', 'W', 5)
    ].concat(pin.isMadeUp ? ['Made up: not a real trace'] : [])
  };
}

function describeSeveral(pins, owners) {
  var times = pins.map(function (pin) { return pin.location.time; }).filter(function (time) { return typeof time === 'number'; });
  var whose = pins[0].colour ? ' of ' + owners.slice(0, NAMES_MAX).join(', ') + (owners.length > NAMES_MAX ? ' and others' : '') : '';
  return {
    name: count(pins.length, 'location', 'locations') + whose,
    details: (times.length ? [span(Math.min.apply(null, times), Math.max.apply(null, times))] : [])
      .concat(pins.some(function (pin) { return pin.isMadeUp; }) ? ['Made up: not a real trace'] : [])
  };
}

function addEnd(at, text, kind) {
  var label = el('div', 'label label-end', text);
  labelPane.appendChild(label);
  shown.ends.push({ at: at, label: label, kind: kind, last: -1 });
}

map.on('zoomend', function () {
  groupPlaces();
  groupLocations();
});
