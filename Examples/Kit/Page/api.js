// Requests to the device's process.
import { texts } from './texts.js';

/** A request without success: its message is a sentence. `status` is 0 if the process did not respond. */
export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() { return ![400, 404, 413, 415, 422].includes(this.status); }
}

let refused = () => {};

/** Sets what is called when the process does not respond, or refuses this page. */
export function onRefused(handler) { refused = handler; }

function sentence(text) {
  const trimmed = text.trim();
  // A first word is capitalised, an address is not.
  const start = /^[a-z]+[ ,]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}

/** The JSON of an answer, or the error that it tells. */
function read(status, text) {
  let body = null;
  try { body = JSON.parse(text); } catch { /* told below */ }
  if (status < 200 || status > 299) {
    if (status === 403) refused();
    const why = body && (body.reason || body.error);
    throw new RequestError(status, why ? sentence(String(why)) : texts.errors.status(status));
  }
  if (body === null || typeof body !== 'object') throw new RequestError(status, texts.errors.unreadable);
  return body;
}

function noAnswer() {
  refused();
  return new RequestError(0, texts.errors.noAnswer);
}

export async function ask(method, path, body, signal) {
  const options = { method, headers: { Accept: 'application/json' }, cache: 'no-store', signal };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['Content-Type'] = 'application/json';
  }
  let status, text;
  try {
    const response = await fetch(path, options);
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw error.name === 'AbortError' ? error : noAnswer();
  }
  return read(status, text);
}

/** Runs an action of the device. */
export const act = (name, body = {}) => ask('POST', `/actions/${name}`, body);

/**
 * Stores a picture; `onProgress` is called with the part that is sent, from 0 to 1. With the same `token` it is stored only
 * once, also if the answer of the first request was lost.
 */
export function storePhoto(blob, { source, caption, token }, onProgress) {
  const query = new URLSearchParams({ source, token });
  if (caption) query.set('caption', caption);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/photos?${query}`);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', ['image/jpeg', 'image/png'].includes(blob.type) ? blob.type : 'application/octet-stream');
    request.upload.onprogress = event => { if (event.lengthComputable) onProgress(event.loaded / event.total); };
    request.onload = () => {
      try { resolve(read(request.status, request.responseText)); } catch (error) { reject(error); }
    };
    request.onerror = request.onabort = () => reject(noAnswer());
    request.send(blob);
  });
}
