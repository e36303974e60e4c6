// A small map with the place of a photo: Leaflet and the base map, loaded when the first one is shown.
import { h, icon } from './elements.js';
import { texts } from './texts.js';

const LEAFLET = '/page/leaflet/leaflet.js';
const ZOOM = 8;
const ZOOM_MAX = 13;
/** The side of the pin in pixels. */
const PIN = 32;

let loading = null;

/** Loads Leaflet and the base map once. */
function load() {
  loading = loading || Promise.all([script(LEAFLET), import('/_base/base-map.js')]).then(([, base]) => base).catch(error => {
    loading = null;
    throw error;
  });
  return loading;
}

function script(address) {
  if (window.L) return Promise.resolve();
  return new Promise((resolve, reject) => {
    document.head.append(h('script', { src: address, onload: resolve, onerror: () => reject(new Error(texts.photo.noMap)) }));
  });
}

/** A map in `host` that shows one place at a time. */
export function placeMap(host) {
  const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let map = null, marker = null, wanted = null, isOver = false, observer = null;

  function make(base) {
    const frame = h('div', { class: 'map', role: 'region', 'aria-label': texts.photo.map });
    const credit = h('p', { class: 'map-credit' });
    host.replaceChildren(frame, credit);
    map = L.map(frame, {
      attributionControl: false, scrollWheelZoom: false, maxZoom: ZOOM_MAX, minZoom: 1, zoomAnimation: !reduced, fadeAnimation: !reduced, inertia: !reduced,
    }).setView(wanted, ZOOM, { animate: false });
    base.addBaseMap(map, { occupied: () => [pinBox()], onCredit: text => { credit.textContent = text; } });
    marker = L.marker(wanted, { icon: L.divIcon({ className: 'map-pin', html: icon('pin'), iconSize: [PIN, PIN], iconAnchor: [PIN / 2, PIN - 3] }), keyboard: false, interactive: false }).addTo(map);
    observer = new ResizeObserver(() => map.invalidateSize({ animate: false }));
    observer.observe(frame);
  }

  /** Names leave the pin free. */
  function pinBox() {
    const { x, y } = map.latLngToContainerPoint(wanted);
    return [x - PIN / 2, y - PIN, x + PIN / 2, y];
  }

  async function show(latitude, longitude) {
    wanted = [latitude, longitude];
    if (map) {
      map.setView(wanted, ZOOM, { animate: false });
      marker.setLatLng(wanted);
      return;
    }
    try {
      const base = await load();
      if (!isOver && !map) make(base);
    } catch {
      if (!isOver) host.replaceChildren(h('p', { class: 'note' }, texts.photo.noMap));
    }
  }

  return {
    show,
    stop() {
      isOver = true;
      observer?.disconnect();
      map?.remove();
    },
  };
}
