// Starts the page; without Leaflet and its clusters there is no map.
import { notice } from './elements.js';
import { texts } from './texts.js';

const LIBRARIES = ['/photos/leaflet/leaflet.min.js', '/photos/leaflet/leaflet.markercluster.min.js'];

/** Why a library is missing, in the server's words; `null` if it is not. */
async function reason(path) {
  let response;
  try {
    response = await fetch(path);
  } catch {
    return texts.errors.noAnswer;
  }
  if (response.ok) return null;
  return (await response.json().catch(() => ({}))).reason || texts.errors.status(response.status);
}

async function start() {
  if (window.L && L.MarkerClusterGroup) return import('./app.js');
  const reasons = await Promise.all(LIBRARIES.map(reason));
  notice('library', 'error', texts.errors.library(reasons.find(Boolean) || ''), { label: texts.reload, run: () => location.reload() });
}

start();
