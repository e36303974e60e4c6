// Starts the page; without Leaflet and its clusters there is no map.
import { notice } from './elements.js';
import { texts } from './texts.js';

const LIBRARIES = ['/photos/leaflet/leaflet.min.js', '/photos/leaflet/leaflet.markercluster.min.js'];

/** Why a library is missing, in the server's words. */
async function reason(path) {
  try {
    const response = await fetch(path);
    return response.ok ? null : (await response.json()).reason;
  } catch {
    return null;
  }
}

async function start() {
  if (window.L && L.MarkerClusterGroup) return import('./app.js');
  const reasons = await Promise.all(LIBRARIES.map(reason));
  notice('library', 'error', texts.errors.library(reasons.find(Boolean)), { label: texts.reload, run: () => location.reload() });
}

start();
