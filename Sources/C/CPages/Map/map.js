// The map of a geospatial index: the page is served at the index's own address, and sends its queries there.
(function () {
  'use strict';

  var PAGE_LIMIT = 200;          // the maximum number of results in one answer
  var TOTAL_MAX = 10000;         // the maximum number of results on the map
  var LISTED_MAX = 500;          // the maximum number of results in the list
  var CLUSTER_FROM = 300;        // from this number of points on, dense points are clustered
  var ANSWER_CHARACTERS_MAX = 20000;
  var FIRST_VIEW_MILLISECONDS = 500;   // the maximum time that the base map waits for the first view
  var MOVE_MILLISECONDS = 250;   // the time without movement of the view until it is searched
  var CHOSEN_ZOOM = 10;

  var byId = function (id) { return document.getElementById(id); };
  var reduced = window.matchMedia && matchMedia('(prefers-reduced-motion: reduce)').matches;
  // The page is at the index's own address, or at /_map with that address after a #, which needs no login.
  var indexPath = location.hash.length > 1 ? location.hash.slice(1) : location.pathname;
  if (indexPath.charAt(0) !== '/' || /[\/\\]/.test(indexPath.charAt(1))) indexPath = location.pathname;
  var names = /^(.*?)\/_design(?:\/|%2F)(.*?)\/_geo\/(.*)$/i.exec(indexPath) || ['', '', '', ''];
  var databasePath = names[1];
  var words = names.slice(1).map(function (n) { return decodeURIComponent(n.split('/').pop()); });

  byId('title').textContent = words[2] || 'Map';
  byId('subtitle').textContent = words[0] + ', _design/' + words[1];
  document.title = words[2] + ' in ' + words[0];

  function el(tag, className, text) {
    var e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  function complain(text) {
    byId('notices').replaceChildren();
    if (!text) return;
    var box = el('p', 'notice', text);
    box.setAttribute('role', 'alert');
    byId('notices').appendChild(box);
  }

  // The JSON of an address, or an Error whose message is a sentence for the page.
  function load(path, signal) {
    return fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-cache', signal: signal }).then(function (response) {
      return response.text().then(function (text) {
        var body = null;
        try { body = JSON.parse(text); } catch (e) { /* told below */ }
        if (response.status === 401) {
          byId('login').hidden = false;
          byId('query').hidden = true;
          throw new Error('The server requires a login.');
        }
        if (!response.ok) throw new Error((body && (body.reason || body.error)) || 'The server responded with status ' + response.status + '.');
        if (body === null || typeof body !== 'object') throw new Error('The server’s response could not be read.');
        return body;
      });
    }, function (error) {
      if (error.name === 'AbortError') throw error;
      throw new Error('The server did not respond. Check that it is running.');
    });
  }

  byId('login').addEventListener('submit', function (event) {
    event.preventDefault();
    fetch('/_session', {
      method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ name: byId('name').value, password: byId('password').value })
    }).then(function (response) {
      if (response.ok) return location.reload();
      byId('password').value = '';
      complain('Wrong name or password.');
    }, function () { complain('The server did not respond. Check that it is running.'); });
  });
  window.addEventListener('hashchange', function () { location.reload(); });

  if (!window.L) {
    byId('status').textContent = '';
    load('/_map/leaflet/leaflet.min.js').catch(function (error) { return error.message; }).then(function (why) {
      complain('The map library (Leaflet) could not be loaded. ' + why);
    });
    return;
  }

  // ---- The map

  var map = L.map('map', {
    attributionControl: false, zoomControl: false, worldCopyJump: true, minZoom: 0, maxZoom: 19, zoomSnap: 0.25,
    zoomAnimation: !reduced, fadeAnimation: !reduced, markerZoomAnimation: !reduced, inertia: !reduced
  });
  window.indexMap = map;
  // The list has the same results as text.
  map.getPane('overlayPane').setAttribute('aria-hidden', 'true');
  L.control.zoom({ position: 'topright' }).addTo(map);
  L.control.scale({ position: 'bottomleft', maxWidth: 110, imperial: false }).addTo(map);
  new ResizeObserver(function () { map.invalidateSize({ animate: false, pan: false }); }).observe(byId('map'));

  function credit(text) { byId('credits').textContent = text + ' Leaflet.'; }

  var isBaseMapWanted = false;

  // The world of the server's vector tiles, and the tiles of its file above it.
  function baseMap() {
    if (isBaseMapWanted) return;
    isBaseMapWanted = true;
    import('/_base/base-map.js').then(function (base) {
      window.baseMap = base.addBaseMap(map, { onCredit: credit });
      return window.baseMap.ready;
    }).catch(function () { complain('The base map could not be loaded. Results are drawn without it.'); });
  }

  // ---- The query

  var shape = null, shapeLayer = null, kind = 'view', running = null, holdsView = false, timer = 0;

  var drawing = window.Drawing(map, function (drawn) {
    setShape(drawn);
    search();
  }, function (text) {
    byId('hint').textContent = text;
    byId('hint').hidden = !text;
  });

  function setShape(next) {
    if (shapeLayer) { shapeLayer.remove(); shapeLayer = null; }
    shape = next;
    if (!shape) return;
    byId('shape').value = Shapes.text(shape);
    shapeLayer = Shapes.layer(shape).addTo(map);
  }

  function viewBox() {
    var bounds = map.getBounds(), west = bounds.getWest(), east = bounds.getEast();
    // The map ends before the poles. A view of its edge includes them.
    var edge = L.Projection.SphericalMercator.MAX_LATITUDE, south = bounds.getSouth(), north = bounds.getNorth();
    var box = { type: 'box', south: south <= -edge ? -90 : south, north: north >= edge ? 90 : north };
    if (east - west >= 360) return Object.assign(box, { west: -180, east: 180 });
    return Object.assign(box, { west: wrapped(west), east: wrapped(east) });
  }

  function wrapped(longitude) { return ((longitude + 180) % 360 + 360) % 360 - 180; }

  // An initial shape for people who type it instead of drawing: the centre of the view.
  function middle(kind) {
    var bounds = map.getBounds().pad(-0.25), center = map.getCenter().wrap();
    if (kind === 'circle') {
      return { type: kind, lat: center.lat, lon: center.lng, radius: map.distance(bounds.getCenter(), [bounds.getNorth(), bounds.getCenter().lng]) };
    }
    var box = Shapes.box(bounds);
    if (kind === 'box') return box;
    return { type: kind, corners: [[box.west, box.south], [box.east, box.south], [box.east, box.north], [box.west, box.north]] };
  }

  function parameters() {
    var query = Object.assign({}, Shapes.parameters(kind === 'view' ? viewBox() : shape));
    if (byId('relation').value) query.relation = byId('relation').value;
    if (byId('nearest').checked) query.nearest = 'true';
    return Object.assign(query, { format: 'geojson', include_distance: 'true', limit: String(PAGE_LIMIT) });
  }

  function address(query) {
    return indexPath + '?' + Object.keys(query).map(function (name) {
      return name + '=' + encodeURIComponent(query[name]).replace(/%2C/g, ',');
    }).join('&');
  }

  // Sends the form's query, page by page, up to the maximum number of results.
  function search() {
    if (kind !== 'view' && !shape) return;
    if (running) running.abort();
    var query = parameters();
    running = new AbortController();
    byId('url').textContent = byId('url').href = address(query);
    byId('status').textContent = 'Searching…';
    return pages(query, running.signal, showAnswer).then(function (found) {
      complain('');
      show(found.features, found.hasMore);
      return nameResults(query, running.signal).catch(function (error) {
        if (error.name !== 'AbortError') complain(error.message);
      });
    }).catch(function (error) {
      if (error.name === 'AbortError') return;
      complain(error.message);
      show([], false);
    });
  }

  // Reads the names of listed results from their documents. Properties are requested without geometries, so a name of a
  // large shape costs little.
  function nameResults(query, signal) {
    var wanted = Object.assign({}, query, { include_docs: 'true', include_geoms: 'false' });
    return pages(wanted, signal, null, Math.min(hits.length, LISTED_MAX)).then(function (found) {
      var known = {};
      found.features.forEach(function (feature) {
        var name = feature.properties && feature.properties.name;
        if (typeof name === 'string' && name.trim()) known[feature._id] = name.trim();
      });
      hits.forEach(function (hit) {
        hit.name = Object.hasOwn(known, hit.feature._id) ? known[hit.feature._id] : null;
        if (hit.row) label(hit);
      });
    });
  }

  // The features of a query, and whether there are more than `most`.
  function pages(query, signal, onFirst, most) {
    var features = [];
    function page(bookmark) {
      var next = bookmark ? Object.assign({ bookmark: bookmark }, query) : query;
      return load(address(next), signal).then(function (answer) {
        if (!bookmark && onFirst) onFirst(answer);
        var more = answer.features || [];
        features = features.concat(more);
        if (onFirst) byId('status').textContent = 'Searching… ' + features.length.toLocaleString('en');
        var hasMore = more.length === PAGE_LIMIT;
        return hasMore && features.length < (most === undefined ? TOTAL_MAX : most) ? page(answer.bookmark) : { features: features, hasMore: hasMore };
      });
    }
    return page(null);
  }

  function showAnswer(answer) {
    var text = JSON.stringify(answer, null, 1);
    byId('answer').textContent = text.length > ANSWER_CHARACTERS_MAX ? text.slice(0, ANSWER_CHARACTERS_MAX) + '\n… the complete response is at the address above' : text;
  }

  // ---- The results

  var layers = null, hits = [], chosen = null;

  function show(features, hasMore) {
    if (layers) layers.remove();
    var points = features.filter(function (f) { return f.geometry && f.geometry.type === 'Point'; }).length;
    var clusters = points > CLUSTER_FROM && L.markerClusterGroup;
    layers = clusters ? L.markerClusterGroup({ iconCreateFunction: clusterIcon, maxClusterRadius: 48, animate: !reduced, showCoverageOnHover: false }) : L.featureGroup();
    chosen = null;
    hits = features.map(function (feature) { return { feature: feature, name: null, layer: draw(feature), row: null }; });
    hits.forEach(function (hit) { if (hit.layer) layers.addLayer(hit.layer); });
    layers.addTo(map);
    byId('results').replaceChildren.apply(byId('results'), hits.slice(0, LISTED_MAX).map(row));
    hits.forEach(function (hit) {
      if (hit.layer) hit.layer.on('click', function () { choose(hit, false); });
    });
    var number = features.length.toLocaleString('en');
    var listed = features.length > LISTED_MAX ? ' The nearest ' + LISTED_MAX + ' are listed.' : '';
    byId('status').textContent = hasMore ? 'The first ' + number + ', and there are more: zoom in, or search a smaller area.' + listed
      : features.length === 0 ? 'Nothing found here.' : number + (features.length === 1 ? ' result.' : ' results, all of them.') + listed;
  }

  function clusterIcon(cluster) {
    var count = cluster.getChildCount(), size = count < 10 ? 32 : count < 100 ? 38 : 46;
    return L.divIcon({ className: 'cluster', html: String(count), iconSize: [size, size] });
  }

  function draw(feature) {
    if (!feature.geometry) return null;
    return L.geoJSON(feature, {
      // Points have a separate style.
      style: function () { return /Point$/.test(feature.geometry.type) ? {} : { className: 'hit-area', weight: 2, fillOpacity: 0.18 }; },
      pointToLayer: function (_, place) { return L.circleMarker(place, { className: 'hit', radius: 7, weight: 1.5, fillOpacity: 0.95 }); }
    }).getLayers()[0] || null;
  }

  function called(hit) { return hit.name || hit.feature._id; }

  // The label of a result in the list is its name, or its id without one; the id is shown on hover.
  function label(hit) {
    var text = hit.row.querySelector('.id');
    text.textContent = called(hit);
    text.title = hit.feature._id;
    hit.row.querySelector('.see').setAttribute('aria-label', 'Document ' + called(hit));
  }

  function row(hit) {
    var item = hit.row = el('li'), go = el('button', 'go'), see = el('button', 'see', 'Document');
    go.type = see.type = 'button';
    go.appendChild(el('span', 'id'));
    if (hit.feature.distance !== undefined) go.appendChild(el('span', 'far', distance(hit.feature.distance)));
    item.append(go, see);
    label(hit);
    go.addEventListener('click', function () { choose(hit, true); });
    see.addEventListener('click', function () { showDocument(hit.feature._id); });
    return item;
  }

  function distance(metres) {
    return metres < 1000 ? metres.toFixed(0) + ' m away' : metres < 100000 ? (metres / 1000).toFixed(1) + ' km away' : Math.round(metres / 1000).toLocaleString('en') + ' km away';
  }

  function mark(hit, isChosen) {
    if (hit.row) {
      hit.row.classList.toggle('chosen', isChosen);
      hit.row.querySelector('.go').setAttribute('aria-current', isChosen);
    }
    [hit.layer].concat(hit.layer && hit.layer.getLayers ? hit.layer.getLayers() : []).forEach(function (layer) {
      var path = layer && layer.getElement && layer.getElement();
      if (path) path.classList.toggle('hit-chosen', isChosen);
      if (path && isChosen) layer.bringToFront();
    });
  }

  // Selects a result; moves the map to it if it was selected in the list.
  function choose(hit, goes) {
    if (chosen) mark(chosen, false);
    chosen = hit;
    mark(hit, true);
    if (hit.row) hit.row.scrollIntoView({ block: 'nearest' });
    if (!hit.layer) return;
    if (!goes) return open(hit);
    holdsView = true;
    if (layers.zoomToShowLayer && hit.layer.getLatLng) {
      layers.zoomToShowLayer(hit.layer, function () { mark(hit, true); open(hit); });
    } else if (hit.layer.getLatLng) {
      map.setView(hit.layer.getLatLng(), Math.max(map.getZoom(), CHOSEN_ZOOM), { animate: !reduced });
      open(hit);
    } else {
      map.fitBounds(hit.layer.getBounds(), { padding: [30, 30], animate: !reduced });
      open(hit);
    }
  }

  function open(hit) {
    var content = el('div'), button = el('button', 'plain', 'Document');
    content.appendChild(el('p', '', called(hit)));
    button.type = 'button';
    button.addEventListener('click', function () { showDocument(hit.feature._id); });
    content.appendChild(button);
    var place = hit.layer.getLatLng ? hit.layer.getLatLng() : hit.layer.getBounds().getCenter();
    L.popup({ autoPan: false, closeOnEscapeKey: true }).setLatLng(place).setContent(content).openOn(map);
  }

  function showDocument(id) {
    byId('document-title').textContent = id;
    byId('document-text').textContent = 'Loading…';
    byId('document').showModal();
    var path = id.indexOf('_design/') === 0 ? '_design/' + encodeURIComponent(id.slice(8)) : encodeURIComponent(id);
    load(databasePath + '/' + path).then(function (body) { return JSON.stringify(body, null, 2); }, function (error) { return error.message; })
      .then(function (text) { byId('document-text').textContent = text; });
  }

  // ---- User actions

  byId('query').addEventListener('click', function (event) {
    if (event.target.name !== 'tool') return;
    var next = event.target.value;
    if (next !== kind) setShape(null);
    kind = next;
    byId('shape-field').hidden = kind === 'view';
    drawing.begin(kind);
    if (kind === 'view') return search();
    byId('shape-label').textContent = Shapes.label[kind];
    if (!shape) byId('shape').value = Shapes.text(middle(kind));
  });

  byId('query').addEventListener('submit', function (event) {
    event.preventDefault();
    if (kind !== 'view') {
      try {
        drawing.stop();
        setShape(Shapes.parse(kind, byId('shape').value));
        holdsView = true;
        map.fitBounds(shapeLayer.getBounds(), { padding: [30, 30], animate: false });
      } catch (error) {
        return complain(error.message);
      }
    }
    search();
  });

  byId('shape').addEventListener('keydown', function (event) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    byId('query').requestSubmit();
  });

  ['relation', 'nearest'].forEach(function (id) { byId(id).addEventListener('change', search); });

  map.on('moveend', function () {
    clearTimeout(timer);
    if (holdsView) { holdsView = false; return; }
    if (kind === 'view') timer = setTimeout(search, MOVE_MILLISECONDS);
  });

  // ---- Start: show the bounds of the first results

  function beginning() {
    var query = { bbox: '-180,-90,180,90', format: 'geojson', limit: String(PAGE_LIMIT) };
    return pages(query).then(function (found) {
      var bounds = L.geoJSON({ type: 'FeatureCollection', features: found.features }).getBounds();
      return bounds.isValid() ? bounds : null;
    });
  }

  map.setView([20, 0], 1, { animate: false });
  clearTimeout(timer);
  // The base map waits for the first view, but not long: the index may have to be built.
  var waiting = setTimeout(baseMap, FIRST_VIEW_MILLISECONDS);
  beginning().then(function (bounds) {
    if (bounds) map.fitBounds(bounds, { padding: [20, 20], maxZoom: 14, animate: false });
    else map.setView([20, 0], 2, { animate: false });
    clearTimeout(timer);
    search();
  }, function (error) {
    complain(error.message);
    byId('status').textContent = '';
  }).then(function () {
    clearTimeout(waiting);
    baseMap();
  });
})();
