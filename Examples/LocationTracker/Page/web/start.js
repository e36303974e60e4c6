// Starts the page; without Leaflet there is no map.
import { ask, notice } from './common.js';

if (window.L) import('./tracker.js');
else {
  ask('GET', '/tracker/leaflet/leaflet.min.js').catch(function (error) { return error; }).then(function (error) {
    notice('leaflet', 'error', 'The map library (Leaflet) could not be loaded. ' +
      (error.status === 404 ? error.message : '') +
      ' Check that libjs-leaflet is installed on the server’s machine, then reload.',
    'Reload', function () { location.reload(); });
  });
}
