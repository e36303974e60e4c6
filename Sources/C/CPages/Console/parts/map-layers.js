// The layers of a map of Leaflet: features, clusters, an area, and its drawing. Leaflet is loaded by then.
import { texts } from '../texts.js';
import { simpleGeometries } from './map-geometry.js';

const t = texts.map;

/** The drawing of the server's maps. It listens to keys of the page as long as the page exists: `end` lets go of the element. */
export function drawingOf(map, onDrawn, onHint) {
  const target = { onDrawn, onHint };
  const drawing = window.Drawing(map, shape => target.onDrawn(shape), text => target.onHint(text));
  return {
    begin: kind => drawing.begin(kind), stop: () => drawing.stop(),
    end: () => { target.onDrawn = target.onHint = () => {}; drawing.stop(); },
  };
}

/** The layer of an area. */
export function shapeLayer(shape) {
  if (shape.type !== 'geometry') return window.Shapes.layer(shape);
  const style = { className: 'searched', weight: 2, fillOpacity: 0.08, interactive: false };
  return L.featureGroup(simpleGeometries(shape.geometry).map(geometry =>
    L.geoJSON(geometry, { style: () => style, interactive: false, pointToLayer: (_, place) => L.circleMarker(place, { ...style, radius: 6 }) })));
}

/** The longitude at which the map begins: -180, or one opposite to a box that crosses the antimeridian. */
export function seamOf(shape) {
  return shape?.type === 'box' && shape.west > shape.east ? (shape.west + shape.east) / 2 : -180;
}

/** The layer of a geometry, with longitudes from the seam on; `null` if Leaflet cannot draw it. */
export function layerOf(geometry, seam) {
  try {
    const layers = simpleGeometries(geometry).flatMap(simple => L.geoJSON({ type: 'Feature', geometry: simple, properties: {} }, {
      coordsToLatLng: place => L.latLng(place[1], place[0] < seam ? place[0] + 360 : place[0]),
      style: () => /Point$/.test(simple.type) ? {} : { className: 'hit-area', weight: 2, fillOpacity: 0.18 },
      pointToLayer: (_, place) => L.circleMarker(place, { className: 'hit', radius: 7, weight: 1.5, fillOpacity: 0.95 }),
    }).getLayers());
    const layer = layers.length > 1 ? L.featureGroup(layers) : layers[0];
    return layer && (layer.getLatLng || layer.getBounds().isValid()) ? layer : null;
  } catch {
    return null;
  }
}

/** The icon of a cluster of points: their number. */
export function clusterIcon(cluster) {
  const number = cluster.getChildCount(), size = number < 10 ? 32 : number < 100 ? 38 : 46;
  const icon = L.divIcon({ className: 'cluster', html: String(number), iconSize: [size, size] }), create = icon.createIcon;
  icon.createIcon = before => {
    const element = create.call(icon, before);
    element.setAttribute('role', 'button');
    element.setAttribute('aria-label', t.cluster(number));
    return element;
  };
  return icon;
}

/** Marks a layer, and those that it consists of, as chosen. */
export function mark(layer, isChosen) {
  if (layer.getLayers) layer.getLayers().forEach(inner => mark(inner, isChosen));
  const element = layer.getElement?.();
  if (!element) return;
  element.classList.toggle('hit-chosen', isChosen);
  if (isChosen) layer.bringToFront();
}
