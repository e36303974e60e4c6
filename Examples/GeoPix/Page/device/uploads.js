// Photos on their way to the device's storage: one after the other, kept until they are stored or removed by the user.
import { storePhoto } from './api.js';
import { photoAddress } from './photo-addresses.js';
import { texts } from './texts.js';

export const MEGABYTES_MAX = 32;
/** The time for which a stored photo remains in the list. */
const SAVED_MILLISECONDS = 3000;

/** `{ id, token, name, blob, source, caption, preview, state, progress, reason, canRetry }`; states: waiting, sending, saved, failed. */
let items = [];
let lastId = 0, isRunning = false, saved = 0, total = 0;
const listeners = new Set();

export function onUploads(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell() { listeners.forEach(listener => listener()); }

const inState = state => items.filter(item => item.state === state);

/** The list, and the numbers of those that are under way, failed and stored since the list was empty. */
export function uploads() {
  return { items, active: items.length - inState('failed').length - inState('saved').length, failed: inState('failed').length, saved, total };
}

export function add(blob, { name, source, caption = '' }) {
  const problem = blob.size === 0 ? texts.uploads.empty : blob.size > MEGABYTES_MAX * 1_048_576 ? texts.uploads.tooLarge(MEGABYTES_MAX) : null;
  total += 1;
  items.push({
    id: lastId += 1, token: crypto.randomUUID(), name, blob, source, caption, progress: 0, reason: problem, canRetry: false,
    state: problem ? 'failed' : 'waiting', preview: source === 'camera' ? URL.createObjectURL(blob) : null,
  });
  tell();
  run();
}

export function retry(item) {
  if (item.state !== 'failed') return;
  Object.assign(item, { state: 'waiting', progress: 0, reason: null });
  tell();
  run();
}

export function retryAll() { inState('failed').filter(item => item.canRetry).forEach(retry); }

export function remove(item) {
  items = items.filter(other => other !== item);
  release(item);
  if (item.state === 'failed') total -= 1;
  if (!items.length) saved = total = 0;
  tell();
}

/** Removes everything, for instance after signing out. */
export function removeAll() { items.filter(item => item.state !== 'sending').forEach(remove); }

function release(item) {
  if (item.preview?.startsWith('blob:')) URL.revokeObjectURL(item.preview);
}

async function run() {
  if (isRunning) return;
  isRunning = true;
  for (let item = inState('waiting')[0]; item; item = inState('waiting')[0]) await store(item);
  isRunning = false;
}

async function store(item) {
  item.state = 'sending';
  tell();
  try {
    const answer = await storePhoto(item.blob, item, part => {
      item.progress = part;
      tell();
    });
    release(item);
    Object.assign(item, { state: 'saved', blob: null, preview: photoAddress(answer.id, 'thumbnail') });
    saved += 1;
    setTimeout(() => remove(item), SAVED_MILLISECONDS);
  } catch (error) {
    Object.assign(item, { state: 'failed', reason: error.message, canRetry: error.isTemporary !== false });
  }
  tell();
}

// A photo of the camera exists only here until it is stored; a file that failed is still where it was.
addEventListener('beforeunload', event => {
  const isNeeded = item => ['waiting', 'sending'].includes(item.state) || item.state === 'failed' && item.source === 'camera';
  if (items.some(isNeeded)) event.preventDefault();
});
