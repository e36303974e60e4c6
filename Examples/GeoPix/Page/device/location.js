// The location of this browser: watched while the device wants it, and sent to the device's process.
import { act } from './api.js';

/** The least time between two fixes that are sent. */
const SEND_MILLISECONDS = 1000;
/**
 * Without a new fix for this time the watch begins again: a browser that does not move tells nothing, its fix becomes too old
 * for a photo, and only a new watch asks the system again.
 */
const RENEW_MILLISECONDS = 8000;
const CHECK_MILLISECONDS = 2000;
const TIMEOUT_MILLISECONDS = 30_000;

/** `off`, `finding`, `found`, `denied`, `unavailable` or `unsupported`. */
let status = 'off';
let watch = null, renewing = 0, begunAt = 0, sending = 0, sentAt = 0, newest = null;
const listeners = new Set();

export const locationStatus = () => status;

export function onLocationStatus(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setStatus(value) {
  if (status === value) return;
  status = value;
  listeners.forEach(listener => listener());
}

/** Watches the location if `isWanted`. */
export function watchLocation(isWanted) {
  if (!isWanted) return stop();
  if (watch === null && status === 'off') start();
  return undefined;
}

/** Begins again, for instance after the user changed the permission. */
export function findAgain() {
  stop();
  start();
}

function start() {
  if (!navigator.geolocation) return setStatus('unsupported');
  setStatus('finding');
  begin();
  renewing = setInterval(renew, CHECK_MILLISECONDS);
  return undefined;
}

function begin() {
  begunAt = Date.now();
  watch = navigator.geolocation.watchPosition(take, fail, { enableHighAccuracy: true, maximumAge: 0, timeout: TIMEOUT_MILLISECONDS });
}

function renew() {
  if (document.hidden || !newest || Date.now() - Math.max(newest.timestamp, begunAt) < RENEW_MILLISECONDS) return;
  navigator.geolocation.clearWatch(watch);
  begin();
}

function stop() {
  if (watch !== null) navigator.geolocation.clearWatch(watch);
  clearInterval(renewing);
  clearTimeout(sending);
  watch = newest = null;
  sending = 0;
  setStatus('off');
}

function take(position) {
  if (watch === null) return;
  setStatus('found');
  if (newest && position.timestamp <= newest.timestamp) return;
  newest = position;
  if (!sending) sending = setTimeout(send, Math.max(0, sentAt + SEND_MILLISECONDS - Date.now()));
}

function fail(error) {
  if (watch === null) return;
  if (error.code === error.PERMISSION_DENIED) setStatus('denied');
  else if (error.code === error.POSITION_UNAVAILABLE && status !== 'found') setStatus('unavailable');
}

async function send() {
  const { latitude, longitude, accuracy, altitude, heading } = newest.coords;
  sentAt = Date.now();
  try {
    await act('location', {
      latitude, longitude, accuracy, altitude, course: Number.isFinite(heading) ? heading : null, time: newest.timestamp,
    });
  } catch { /* the next fix is soon there */ }
  sending = 0;
}

navigator.permissions?.query({ name: 'geolocation' }).then(permission => {
  permission.onchange = () => { if (status !== 'off') findAgain(); };
}).catch(() => { /* without it there is the button */ });
