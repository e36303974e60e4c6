// Starts the page; without Leaflet there is no map.
import { ask, notice } from './common.js';

if (window.L) import('./tracker.js');
else {
  ask('GET', '/tracker/leaflet/leaflet.js').catch(function (error) { return error; }).then(function (error) {
    notice('leaflet', 'error', 'The map library (Leaflet) could not be loaded. ' +
      (error.status === 404 ? error.message : '') +
      ' See that libjs-leaflet is installed where the server runs, then reload.',
    'Reload', function () { location.reload(); });
  });
}
