// The state of the device, as its process sends it, and the state of the connection to the process.
import { onRefused } from './api.js';

const PROBE_MILLISECONDS = 2000;

/** `connection`: `starting`, `open`, `lost` (the process does not run) or `refused` (it does not know this page). */
export const store = { state: null, connection: 'starting', receivedAt: 0 };

const listeners = new Set();
let source = null, probing = 0;

/** Calls a function after each change; returns a function that ends this. */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell() { listeners.forEach(listener => listener(store)); }

function setConnection(connection) {
  if (store.connection === connection) return;
  store.connection = connection;
  tell();
}

export function connect() {
  source?.close();
  source = new EventSource('/events');
  source.onmessage = event => {
    let state;
    try { state = JSON.parse(event.data); } catch { return; }
    clearTimeout(probing);
    probing = 0;
    Object.assign(store, { state, connection: 'open', receivedAt: Date.now() });
    tell();
  };
  source.onerror = () => probe();
}

/** Asks why there are no events, until there are some: a browser does not tell the status of a stream that failed. */
async function probe() {
  if (probing) return;
  probing = setTimeout(() => {
    probing = 0;
    probe();
  }, PROBE_MILLISECONDS);
  try {
    const response = await fetch('/state', { cache: 'no-store' });
    if (response.status === 403) setConnection('refused');
    else if (!response.ok) setConnection('lost');
    else if (source.readyState !== EventSource.OPEN || store.connection !== 'open') connect();
    else stopProbing();
  } catch {
    setConnection('lost');
  }
}

function stopProbing() {
  clearTimeout(probing);
  probing = 0;
}

onRefused(probe);

// The browser keeps pages that were left, with their connections, of which it has few for a server.
addEventListener('pagehide', () => {
  stopProbing();
  source?.close();
});
addEventListener('pageshow', event => { if (event.persisted) connect(); });
