// Loads Leaflet and the drawing of the server's maps, once, when a map is shown for the first time.
import { get } from '../api.js';
import { h } from '../view.js';
import { texts } from '../texts.js';

const ROOT = '/_utils/lib/leaflet';
const SHAPES = '/_map/drawing.js';

let loading = null;

/**
 * Returns a promise of Leaflet. `window.Drawing` and `window.Shapes` exist then too. It fails with a sentence, and the next
 * call tries again.
 */
export function loadLibrary() {
  loading ||= load().catch(error => { loading = null; throw error; });
  return loading;
}

async function load() {
  await Promise.all([style(`${ROOT}/leaflet.css`), script(`${ROOT}/leaflet.min.js`)]);
  // Without clusters each point is drawn.
  await Promise.all([
    script(`${ROOT}/leaflet.markercluster.min.js`).catch(() => {}), style(`${ROOT}/MarkerCluster.css`).catch(() => {}), script(SHAPES),
  ]);
  return window.L;
}

const script = address => added(h('script', { src: address }), address);

const style = address => added(h('link', { rel: 'stylesheet', href: address }), address);

/** Adds an element that loads a file to the head of the page. */
function added(element, address) {
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', async () => {
      element.remove();
      reject(new Error(await reason(address)));
    });
    document.head.append(element);
  });
}

/** Why a file cannot be loaded, in the server's words. */
async function reason(address) {
  try {
    await get(address);
  } catch (error) {
    if (error.status !== undefined) return error.message;
  }
  return texts.map.notLoaded;
}
