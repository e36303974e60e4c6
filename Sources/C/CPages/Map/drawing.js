// Drawing a box, a circle or a polygon on a map of Leaflet, with a mouse, a pen or a finger.
(function () {
  'use strict';

  var CLOSE_PIXELS = 14;      // a click within this distance of the first corner closes a polygon
  var DRAG_PIXELS = 4;        // a shorter drag is ignored

  // map: the map; onDrawn(shape): called with { type, … } when a shape is finished; onHint(text): the next step, or ''.
  window.Drawing = function (map, onDrawn, onHint) {
    var container = map.getContainer();
    var tool = null, start = null, corners = [], preview = null, swallowsClick = false;

    function begin(kind) {
      stop();
      swallowsClick = false;
      if (kind === 'view') return;
      tool = kind;
      container.classList.add('drawing');
      map.dragging.disable();
      map.doubleClickZoom.disable();
      onHint({
        box: 'Drag from one corner of the box to the other.',
        circle: 'Drag from the centre of the circle to its edge.',
        polygon: 'Click each corner; click the first one again, or press Enter, to close it.'
      }[kind]);
    }

    function stop() {
      tool = start = null;
      corners = [];
      if (preview) { preview.remove(); preview = null; }
      container.classList.remove('drawing');
      map.dragging.enable();
      map.doubleClickZoom.enable();
      onHint('');
    }

    function at(event) {
      var place = map.mouseEventToLatLng(event);
      return L.latLng(Math.max(-90, Math.min(90, place.lat)), Math.max(-180, Math.min(180, place.lng)));
    }

    function show(layer) {
      if (preview) preview.remove();
      preview = layer.addTo(map);
    }

    function finish(shape) {
      stop();
      onDrawn(shape);
    }

    function shapeTo(place) {
      return tool === 'box' ? window.Shapes.box(L.latLngBounds(start, place))
        : { type: 'circle', lat: start.lat, lon: start.lng, radius: map.distance(start, place) };
    }

    function far(a, b) { return map.latLngToContainerPoint(a).distanceTo(map.latLngToContainerPoint(b)); }

    container.addEventListener('pointerdown', function (event) {
      if (!tool || event.button !== 0 || event.target.closest('.leaflet-control')) return;
      event.preventDefault();
      swallowsClick = true;
      container.focus({ preventScroll: true });
      if (tool === 'polygon') return addCorner(at(event));
      start = at(event);
      container.setPointerCapture(event.pointerId);
    });

    // A click that draws a shape does not select a feature under it.
    container.addEventListener('click', function (event) {
      if (!swallowsClick) return;
      swallowsClick = false;
      event.stopImmediatePropagation();
    }, true);

    container.addEventListener('pointermove', function (event) {
      if (!tool) return;
      var place = at(event);
      if (start) show(window.Shapes.layer(shapeTo(place)));
      else if (corners.length) show(L.polyline(corners.concat([place]), { className: 'searched', interactive: false }));
    });

    container.addEventListener('pointerup', function (event) {
      if (!tool || !start) return;
      var place = at(event);
      if (far(start, place) < DRAG_PIXELS) { start = null; return; }
      finish(shapeTo(place));
    });

    container.addEventListener('pointercancel', function () { start = null; });

    function addCorner(place) {
      if (corners.length > 2 && far(corners[0], place) < CLOSE_PIXELS) return close();
      corners.push(place);
      show(L.polyline(corners, { className: 'searched', interactive: false }));
    }

    function close() {
      if (corners.length < 3) return;
      finish({ type: 'polygon', corners: corners.map(function (c) { return [c.lng, c.lat]; }) });
    }

    function onKey(event) {
      if (!tool) return;
      if (event.key === 'Escape') stop();
      if (event.key === 'Enter' && tool === 'polygon' && event.target === container) {
        event.preventDefault();
        close();
      }
    }

    document.addEventListener('keydown', onKey);
    map.on('unload', function () { document.removeEventListener('keydown', onKey); });

    return { begin: begin, stop: stop };
  };

  // A shape as a layer, as the text in its field, and as parameters of a query.
  window.Shapes = {
    box: function (bounds) {
      return { type: 'box', west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
    },

    layer: function (shape) {
      var style = { className: 'searched', weight: 2, fillOpacity: 0.08, interactive: false };
      // A box whose west is greater than its east crosses the antimeridian.
      if (shape.type === 'box') return L.rectangle([[shape.south, shape.west], [shape.north, shape.east + (shape.west > shape.east ? 360 : 0)]], style);
      if (shape.type === 'circle') return L.circle([shape.lat, shape.lon], Object.assign({ radius: shape.radius }, style));
      return L.polygon(shape.corners.map(function (c) { return [c[1], c[0]]; }), style);
    },

    label: {
      box: 'West, south, east, north, in degrees',
      circle: 'Latitude, longitude in degrees, radius in meters',
      polygon: 'Corners as well-known text: longitude latitude, …'
    },

    text: function (shape) {
      if (shape.type === 'box') return [shape.west, shape.south, shape.east, shape.north].map(degrees).join(', ');
      if (shape.type === 'circle') return degrees(shape.lat) + ', ' + degrees(shape.lon) + ', ' + Math.round(shape.radius);
      return 'POLYGON((' + shape.corners.concat([shape.corners[0]]).map(function (c) {
        return degrees(c[0]) + ' ' + degrees(c[1]);
      }).join(', ') + '))';
    },

    // The shape of a text; throws an Error whose message describes the mistake.
    parse: function (kind, text) {
      var n = (text.match(/[-+]?[\d.]+(?:e[-+]?\d+)?/gi) || []).map(Number);
      if (n.some(isNaN)) throw new Error('These are not numbers: ' + text);
      if (kind === 'polygon') {
        if (!/^\s*polygon\s*\(\s*\([^()]*\)\s*\)\s*$/i.test(text) || n.length < 6 || n.length % 2) {
          throw new Error('A polygon must be written as POLYGON((0 0, 10 0, 10 10, 0 0)).');
        }
        var corners = [];
        for (var i = 0; i < n.length; i += 2) corners.push([n[i], n[i + 1]]);
        var last = corners[corners.length - 1];
        if (corners.length > 3 && last[0] === corners[0][0] && last[1] === corners[0][1]) corners.pop();
        return { type: kind, corners: corners };
      }
      if (kind === 'circle') {
        if (n.length !== 3) throw new Error('A circle needs a latitude, a longitude and a radius in meters.');
        return { type: kind, lat: n[0], lon: n[1], radius: n[2] };
      }
      if (n.length !== 4) throw new Error('A box needs four numbers: west, south, east, north.');
      return { type: kind, west: n[0], south: n[1], east: n[2], north: n[3] };
    },

    parameters: function (shape) {
      if (shape.type === 'box') {
        var box = { bbox: [shape.west, shape.south, shape.east, shape.north].map(degrees).join(',') };
        return shape.west > shape.east ? Object.assign(box, { wrap: 'true' }) : box;
      }
      if (shape.type === 'circle') return { lat: degrees(shape.lat), lon: degrees(shape.lon), radius: String(Math.round(shape.radius)) };
      return { g: window.Shapes.text(shape) };
    }
  };

  function degrees(number) { return String(Math.round(number * 1e6) / 1e6); }
})();
