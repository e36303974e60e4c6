// Draws the map: countries, pins, paths, places, labels. Everything it loads comes from the server that served it.
(function () {
  'use strict';

  var tracker = window.tracker;
  var el = tracker.el, svg = tracker.svg, byId = tracker.byId, count = tracker.count;
  var RADIUS = tracker.RADIUS;
  // Width and height of the pins as in tracker.css.
  var PINS = {
    tiny: { location: [11, 15], place: [12, 16], last: [20, 38] },
    dense: { location: [13, 17], place: [15, 20], last: [20, 38] },
    normal: { location: [18, 24], place: [20, 27], last: [22, 42] },
    roomy: { location: [26, 35], place: [26, 35], last: [28, 54] }
  };
  var reduced = window.matchMedia && matchMedia('(prefers-reduced-motion: reduce)').matches;

  // ---- Without Leaflet there is no map

  if (!window.L) {
    tracker.ask('GET', '/tracker/leaflet/leaflet.js').catch(function (error) { return error; }).then(function (error) {
      tracker.notice('leaflet', 'error', 'The map library (Leaflet) could not be loaded. ' +
        (error.status === 404 ? error.message : '') +
        ' See that libjs-leaflet is installed where the server runs, then reload.',
      'Reload', function () { location.reload(); });
    });
    return;
  }

  // ---- The map

  var map = L.map('map', {
    zoomControl: false,
    attributionControl: false,   // the credits stand below the legend
    trackResize: false,          // the observer below does it
    zoomSnap: 0,                 // a fitted view fills the map
    zoomDelta: 1,
    minZoom: 1,
    maxZoom: 18,
    zoomAnimation: !reduced,
    fadeAnimation: !reduced,
    markerZoomAnimation: !reduced,
    inertia: !reduced
  });

  [['countries', 200], ['grid', 210], ['area', 390], ['locations', 610], ['places', 620], ['labels', 630]].forEach(function (p) {
    map.createPane(p[0]).style.zIndex = p[1];
  });
  var labelPane = map.getPane('labels');
  labelPane.setAttribute('aria-hidden', 'true');

  var journeyLayer = L.featureGroup().addTo(map);
  var placesLayer = L.featureGroup().addTo(map);
  var gridLayer = L.layerGroup().addTo(map);
  tracker.map = map;
  tracker.circle = null;

  L.control.zoom({ position: 'topright', zoomInTitle: 'Zoom in', zoomOutTitle: 'Zoom out' }).addTo(map);
  var FitControl = L.Control.extend({
    onAdd: function () {
      var bar = L.DomUtil.create('div', 'leaflet-bar leaflet-control');
      var a = L.DomUtil.create('a', 'fit-button', bar);
      a.href = '#';
      a.title = 'Show all that is drawn';
      a.setAttribute('role', 'button');
      a.setAttribute('aria-label', 'Show all that is drawn');
      var s = svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, a);
      svg('path', { d: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5' }, s);
      svg('circle', { cx: 12, cy: 12, r: 2.5 }, s);
      L.DomEvent.disableClickPropagation(bar);
      L.DomEvent.on(a, 'click', function (e) { L.DomEvent.preventDefault(e); fit(); });
      return bar;
    }
  });
  new FitControl({ position: 'topright' }).addTo(map);
  var scale = L.control.scale({ position: 'bottomleft', maxWidth: 110 }).addTo(map);

  // ---- State

  // What is drawn: pins { at: [lon, lat], kind }, lines (lists of points), and where the circle is.
  var shown = { pins: [], lines: [], circle: null };
  var points = [];          // places by point: { at, names, marker, label }
  var countries = [];       // { name, box, polygons }
  var ends = [];            // labels of first and last locations
  var userMoved = false, fitting = false;

  map.setView([25, 0], 1.5, { animate: false });

  // ---- Pins

  function pinIcon(kind, number, extra) {
    // The last location stands on a longer foot, to be seen behind a place at the same point.
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
  function rove(pane, label, markers) {
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

  // A tip opens to the side that has room, and only one at a time.
  var openMarker = null;
  function openTip(marker) {
    if (openMarker && openMarker !== marker) openMarker.closeTooltip();
    openMarker = marker;
    var p = map.latLngToContainerPoint(marker.getLatLng()), size = map.getSize();
    var tip = marker.getTooltip();
    tip.options.direction = p.x < size.x / 2 ? 'right' : 'left';
    tip.options.offset = L.point(p.x < size.x / 2 ? 8 : -8, 0);
    marker.openTooltip();
  }
  map.on('click', function () { if (openMarker) openMarker.closeTooltip(); });

  // ---- Drawing

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
      countries.push({ name: (f.properties || {}).name || f.id, box: box, polygons: polygons, label: null });
    });
    drawLocator();
    layout();
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

  // The little map of the world beside the large one.
  function drawLocator() {
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

  function drawPlaces(list) {
    placesLayer.clearLayers();
    points.forEach(function (p) { p.label.remove(); });
    var byPoint = new Map();
    list.forEach(function (place) {
      var c = place.geometry && place.geometry.coordinates;
      if (!c) return;
      var key = c[0] + ',' + c[1];
      if (!byPoint.has(key)) byPoint.set(key, { at: [c[0], c[1]], names: [], last: -1 });
      byPoint.get(key).names.push(place.name || place._id);
    });
    points = Array.from(byPoint.values()).sort(function (a, b) { return b.at[1] - a.at[1] || a.at[0] - b.at[0]; });
    points.forEach(function (p) {
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
      points.map(function (p) { return p.marker; }));
    byId('places-note').textContent = shown.circle && !list.length ? ' (none within)' : '';
    if (!userMoved) fit(); else layout();
  }

  // Draws tracks: { owner, colour, label, sessions } with the owner's locations in order, by session.
  // The first has the circle around its newest location when `circled`.
  function draw(tracks, circled) {
    var focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.location : null;
    journeyLayer.clearLayers();
    ends.forEach(function (e) { e.label.remove(); });
    ends = [];
    shown = { pins: [], lines: [], circle: null };
    tracker.circle = null;
    var markers = [];
    tracks.forEach(function (track) { drawTrack(track, markers); });
    var newest = circled && shown.pins.length ? shown.pins[shown.pins.length - 1].at : null;
    if (newest) {
      shown.circle = newest;
      tracker.circle = L.circle([newest[1], newest[0]], {
        radius: RADIUS, pane: 'area', className: 'radius', interactive: false,
        color: '#178045', weight: 2, fillColor: '#178045', fillOpacity: 0.15
      }).addTo(journeyLayer);
    }
    rove(map.getPane('locations'), count(markers.length, 'location', 'locations') + '; the arrow keys go from one to the next', markers);
    refocus(markers, focused);
    drawLocator();
    if (!userMoved) fit(); else layout();
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
    var when = location.time ? tracker.moment(location.time) : 'time unknown';
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

  // Who was at a pin is at it again after it was drawn anew.
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
    ends.push({ at: at, label: label, kind: kind, last: -1 });
  }

  // ---- The view

  function densityAt(zoom) {
    var steps = [];
    shown.lines.forEach(function (line) {
      var px = line.map(function (c) { return map.project([c[1], c[0]], zoom); });
      px.slice(1).forEach(function (p, i) { steps.push(p.distanceTo(px[i])); });
    });
    if (!steps.length) return 'roomy';
    steps.sort(function (a, b) { return a - b; });
    var middle = steps[Math.floor(steps.length / 2)];
    return middle < 9 ? 'tiny' : middle < 16 ? 'dense' : middle < 36 ? 'normal' : 'roomy';
  }

  function setDensity() { map.getContainer().dataset.density = densityAt(map.getZoom()); }

  // A view with every pin, the whole circle and the places in it,
  // none of them under a control: the largest found over ways to keep clear of the controls.
  function fit() {
    if (!shown.pins.length) return;
    map.invalidateSize({ pan: false, animate: false });
    var size = map.getSize();
    if (size.x < 40 || size.y < 40) return;
    var at0 = function (c) { return map.project([c[1], c[0]], 0); };
    var items = shown.pins.map(function (p) { return { p: at0(p.at), kind: p.kind }; });
    points.forEach(function (p) { items.push({ p: at0(p.at), kind: 'place' }); });
    var circle0 = shown.circle ? circleAt0(shown.circle, at0) : null;
    var controls = controlBoxes();
    var gap = 8;

    function boxes(zoom) {
      var k = Math.pow(2, zoom), sizes = PINS[densityAt(zoom)];
      var list = items.map(function (i) {
        var x = i.p.x * k, y = i.p.y * k, s = sizes[i.kind];
        return [x - s[0] / 2 - 1, y - s[1] - 1, x + s[0] / 2 + 1, y + 2];
      });
      if (!circle0) return { list: list, circle: null, all: list.reduce(union) };
      var r = circle0.radius * k + 2, c = circle0.centre.multiplyBy(k);
      return { list: list, circle: { x: c.x, y: c.y, r: r }, all: list.concat([[c.x - r, c.y - r, c.x + r, c.y + r]]).reduce(union) };
    }

    // The largest view whose things keep `pad` (left, top, right, bottom) free.
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
      // Each side keeps clear of its controls not at all, half, or wholly.
      var m = mask;
      var pad = strips.map(function (s) { var part = (m % 3) / 2; m = Math.floor(m / 3); return gap + s * part; });
      var view = viewFor(pad);
      if (view && (!best || view.zoom > best.zoom + 1e-6) && !covered(view)) best = view;
    }
    best = best || viewFor([gap, gap, gap, gap]) || viewFor([0, 0, 0, 0]);
    if (!best) return;
    fitting = true;
    map.setView(map.unproject([best.left + size.x / 2, best.top + size.y / 2], best.zoom), best.zoom, { animate: false });
    fitting = false;
    userMoved = false;
    layout();
  }

  // The circle in pixels of the world at zoom 0.
  function circleAt0(at, at0) {
    var reach = RADIUS / 6371000 * 180 / Math.PI;
    var north = at0([at[0], at[1] + reach]), south = at0([at[0], at[1] - reach]);
    return {
      centre: at0(at).add([0, (north.y + south.y) / 2 - at0(at).y]),
      radius: (south.y - north.y) / 2 * 1.002
    };
  }

  function union(a, b) { return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]; }
  function overlap(a, b) { return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]; }

  // The controls' boxes in the map; the scale bar counts with the width it may grow to.
  function controlBoxes() {
    var frame = map.getContainer().getBoundingClientRect();
    return Array.prototype.map.call(map.getContainer().querySelectorAll('.leaflet-control'), function (c) {
      var r = c.getBoundingClientRect();
      var w = c.classList.contains('leaflet-control-scale') ? Math.max(r.width, scale.options.maxWidth + 4) : r.width;
      return [r.left - frame.left, r.top - frame.top, r.left - frame.left + w, r.bottom - frame.top];
    });
  }

  // ---- Labels: names of places, ends of the journey, countries and the grid, where they do not collide

  var ANGLES = [0, 180, -35, 35, 145, -145, -65, 65, 115, -115].map(function (d) { return d * Math.PI / 180; });
  var DISTANCES = [0, 12, 26, 42, 62, 86, 114, 146];
  var leaders = svg('svg', { 'class': 'leaders' }, labelPane);
  var passing = [];          // the labels of countries and of the grid, made anew each time

  function layout() {
    setDensity();
    var size = map.getSize(), origin = map.containerPointToLayerPoint([0, 0]);
    var sizes = PINS[map.getContainer().dataset.density];
    var view = [2, 2, size.x - 2, size.y - 2];
    var taken = controlBoxes().map(function (c) { return [c[0] - 3, c[1] - 3, c[2] + 3, c[3] + 3]; });
    var lines = [];
    passing.forEach(function (e) { e.remove(); });
    passing = [];
    leaders.textContent = '';
    drawGrid();

    function pixel(c) { return map.latLngToContainerPoint([c[1], c[0]]); }
    function pinBox(c, kind) {
      var p = pixel(c), s = sizes[kind];
      return [p.x - s[0] / 2, p.y - s[1], p.x + s[0] / 2, p.y + 1];
    }
    shown.pins.forEach(function (p) { taken.push(pinBox(p.at, p.kind)); });
    points.forEach(function (p) { taken.push(pinBox(p.at, 'place')); });

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
    var lastPins = shown.pins.filter(function (p) { return p.kind === 'last'; }).map(function (p) { return pinBox(p.at, 'last'); });
    function place(item, kind) {
      item.label.classList.remove('shown', 'to-left');
      var p = pixel(item.at), s = sizes[kind];
      if (p.x < 0 || p.y < 0 || p.x > size.x || p.y > size.y) { item.last = -1; return; }
      var w = item.label.offsetWidth, h = item.label.offsetHeight;
      var r = s[0] / 2 + 3, cy = p.y - s[1] * (kind === 'last' ? 0.76 : 0.62);
      var order = [];
      for (var i = 0; i < DISTANCES.length * ANGLES.length; i++) order.push(i);
      if (item.last >= 0) order.unshift(item.last);       // a label stays where it was, if it can
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
        return;
      }
      item.last = -1;
    }

    ends.forEach(function (e) { place(e, e.kind); });
    points.forEach(function (p) { place(p, 'place'); });
    nameCountries(size, free, put);
    nameGrid(size, free, put);
    labelPane.classList.remove('moving');
  }

  function passingLabel(className, text) {
    var label = el('div', 'label ' + className, text);
    labelPane.appendChild(label);
    passing.push(label);
    return label;
  }

  // A country's name stands where the country is seen, however near the map is.
  function nameCountries(size, free, put) {
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
      var label = passingLabel('label-country', inTwo(entry[0].name));
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

  function onCircle(box) {
    if (!tracker.circle) return false;
    var b = tracker.circle.getBounds(), n = map.latLngToContainerPoint(b.getNorthWest()), s = map.latLngToContainerPoint(b.getSouthEast());
    var x = (n.x + s.x) / 2, y = (n.y + s.y) / 2, r = (s.y - n.y) / 2 + 3;
    var dx = Math.max(box[0] - x, 0, x - box[2]), dy = Math.max(box[1] - y, 0, y - box[3]);
    return dx * dx + dy * dy < r * r;
  }

  // The lines of latitude and longitude
  var gridLines = [];
  function gridStep() {
    var steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
    var perDegree = 256 * Math.pow(2, map.getZoom()) / 360;
    var step = steps[0];
    steps.forEach(function (s) { if (s * perDegree >= 105) step = s; });
    return step;
  }

  function drawGrid() {
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

  function degrees(v, plus, minus, digits) {
    var text = Math.abs(v).toFixed(digits);
    return text + '°' + (Number(text) === 0 ? '' : ' ' + (v > 0 ? plus : minus));
  }

  function nameGrid(size, free, put) {
    var step = gridStep(), digits = Math.max(0, Math.ceil(-Math.log(step) / Math.LN10 - 1e-9));
    var c = map.getCenter();
    gridLines.forEach(function (g) {
      var label, p;
      if (g.lon !== undefined) {
        label = passingLabel('label-grid', degrees(g.lon, 'E', 'W', digits));
        p = map.latLngToContainerPoint([c.lat, g.lon]);
        p = L.point(p.x - label.offsetWidth / 2, 4);
      } else {
        label = passingLabel('label-grid', degrees(g.lat, 'N', 'S', digits));
        p = map.latLngToContainerPoint([g.lat, c.lng]);
        p = L.point(6, p.y - label.offsetHeight / 2);
      }
      var box = [p.x, p.y, p.x + label.offsetWidth, p.y + label.offsetHeight];
      if (!onCircle(box) && free(box, null)) put(label, box);
    });
  }

  function meets(a, b) {
    function side(p, q, r) { return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]); }
    var p = [a[0], a[1]], q = [a[2], a[3]], r = [b[0], b[1]], s = [b[2], b[3]];
    return side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
  }

  function crosses(line, box) {
    if (overlap([Math.min(line[0], line[2]), Math.min(line[1], line[3]), Math.max(line[0], line[2]) + 0.01, Math.max(line[1], line[3]) + 0.01], box) === false) return false;
    function within(x, y) { return x > box[0] && x < box[2] && y > box[1] && y < box[3]; }
    return within(line[0], line[1]) || within(line[2], line[3]) ||
      meets(line, [box[0], box[1], box[2], box[3]]) || meets(line, [box[0], box[3], box[2], box[1]]);
  }

  // ---- What happens to the map

  map.on('movestart', function () { if (!fitting) userMoved = true; });
  map.on('zoomstart', function () { labelPane.classList.add('moving'); });
  map.on('moveend', function () { if (!fitting) layout(); });

  var resizing = 0;
  function resized() {
    cancelAnimationFrame(resizing);
    resizing = requestAnimationFrame(function () {
      if (!userMoved && shown.pins.length) { fit(); return; }
      map.invalidateSize({ pan: true, animate: false });
    });
  }
  if (window.ResizeObserver) new ResizeObserver(resized).observe(map.getContainer());
  else window.addEventListener('resize', resized);

  // ---- The base map

  function loadCountries() {
    return tracker.ask('GET', '/tracker/countries.json').then(drawCountries).catch(function (error) {
      tracker.notice('countries', 'error', 'The base map could not be loaded. ' + error.message + ' Locations are drawn without it.',
        'Try again', loadCountries);
    });
  }

  // Forgets where the user moved the map to: the next drawing is seen as a whole.
  function follow() { userMoved = false; }

  tracker.draw = draw;
  tracker.drawPlaces = drawPlaces;
  tracker.follow = follow;
  loadCountries();
})();
