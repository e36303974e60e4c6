// The upload of a file with its progress.
import { checkSession, RequestError, session } from '../api.js';
import { button, h } from '../view.js';
import { texts } from '../texts.js';

const t = texts.upload;

/**
 * Uploads a file with PUT, and returns the JSON of the response. `host` shows the progress and a button that cancels it.
 * `fetch` does not report progress, so this is the older request.
 */
export function upload(address, file, host, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(), bar = h('progress', { max: 1, 'aria-label': t.uploading(file.name) });
    bar.value = 0;
    host.replaceChildren(h('p', { class: 'note' }, t.uploading(file.name)), bar, button(texts.cancel, () => request.abort()));
    request.open('PUT', address);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    if (session.token) request.setRequestHeader('X-Godwit-CSRF', session.token);
    request.responseType = 'json';
    request.upload.addEventListener('progress', event => { if (event.lengthComputable) bar.value = event.loaded / event.total; });
    request.addEventListener('load', () => {
      if (request.status < 300) return resolve(request.response);
      if (request.status === 401) checkSession();
      reject(new RequestError(request.status, request.response?.error || '', request.response?.reason || t.refused(request.status)));
    });
    request.addEventListener('error', () => reject(new RequestError(0, 'offline', t.broken)));
    request.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
    const abort = () => request.abort();
    signal.addEventListener('abort', abort);
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    request.send(file);
  });
}
