// Starts the page of GeoPix.
import { followState } from './galleries.js';
import { watchLocation } from './location.js';
import { showCamera } from './screens-camera.js';
import { showGallery } from './screens-gallery.js';
import { showHome } from './screens-home.js';
import { showPhoto } from './screens-photo.js';
import { showSettings } from './screens-settings.js';
import { startPage } from './shell.js';
import { removeAll } from './uploads.js';

startPage({ '': showHome, camera: showCamera, gallery: showGallery, photo: showPhoto, settings: showSettings }, (state, isReady) => {
  watchLocation(isReady && state.locationSource === 'browser');
  if (!state) return;
  if (state.stage === 'signedOut') removeAll();
  followState(state);
});
