// Uploads files as objects, one after the other, with the progress of all.
import { failureOf, get, RequestError, session } from '../api.js';
import { bytes, button, confirm, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { DELIMITER, listAddress, storagePath } from './objects-paths.js';
import { progressPart } from './progress.js';

/** The names of existing objects that are listed before they are replaced. */
const LISTED_MAX = 5;
const t = texts.objects;

/** The part with which files are uploaded to a folder. `changed()` is called after an upload. */
export function uploader(place, changed) {
  const progress = h('div'), folder = h('input', { value: place.folder, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const input = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': t.chooseFiles, onchange: () => begin([...input.files]) });
  const choose = button(t.chooseFiles, () => input.click());
  let isBusy = false;
  const begin = async files => {
    if (isBusy || !files.length) return;
    isBusy = choose.disabled = true;
    const items = files.map(file => ({ file, name: nameOf(folder.value, file) }));
    const end = () => {
      isBusy = choose.disabled = false;
      input.value = '';
      progress.replaceChildren();
    };
    try {
      const existing = await existingOf(place, items);
      if (!existing.length) return await uploadAll(place, items, progress, changed).finally(end);
      end();
      askToReplace(existing, () => {
        isBusy = choose.disabled = true;
        uploadAll(place, items, progress, changed).finally(end);
      });
    } catch (error) {
      end();
      if (error.name !== 'AbortError') toast(error.message, 'error');
    }
  };
  const zone = h('div', {
    class: 'drop', ondragover: event => { event.preventDefault(); zone.classList.add('drop-over'); },
    ondragleave: () => zone.classList.remove('drop-over'),
    ondrop: event => {
      event.preventDefault();
      zone.classList.remove('drop-over');
      begin([...event.dataTransfer.files]);
    },
  }, input, choose, h('span', { class: 'note' }, t.drop));
  return h('section', { class: 'part stack' }, h('h2', null, t.upload), field(t.folder, folder, t.folderNote), zone, progress);
}

function nameOf(folder, file) {
  return folder && !folder.endsWith(DELIMITER) ? `${folder}${DELIMITER}${file.name}` : folder + file.name;
}

/** The names that exist. A list that begins with the name tells it without an error for each new one. */
async function existingOf(place, items) {
  const found = [];
  for (const { name } of items) {
    const [first] = await get(listAddress(place, { prefix: name, limit: 1 }), { signal: place.signal });
    if (first?.name === name) found.push(name);
  }
  return found;
}

function askToReplace(names, agreed) {
  const listed = names.slice(0, LISTED_MAX).join(', '), rest = names.length - LISTED_MAX;
  confirm(t.replaceTitle(names.length), t.replaceWarning(names.length, rest > 0 ? t.andMore(listed, rest) : listed), t.replace, async () => agreed());
}

/** Uploads files until one fails or the user cancels. */
async function uploadAll(place, items, host, changed) {
  const cancel = new AbortController(), total = items.reduce((sum, { file }) => sum + file.size, 0) || 1;
  const abort = () => cancel.abort(), part = progressPart(host, t.uploading, abort);
  place.signal.addEventListener('abort', abort);
  let done = 0, sent = 0;
  try {
    for (const { file, name } of items) {
      await put(storagePath(place.account, place.container, name), file, cancel.signal, loaded => {
        part.show((sent + loaded) / total, t.uploadingFile(file.name, bytes(loaded), bytes(file.size), done + 1, items.length));
      });
      done += 1;
      sent += file.size;
    }
    toast(t.wereUploaded(done, items[0].name));
  } catch (error) {
    if (error.name !== 'AbortError') toast(t.notUploaded(items[done].name, error.message), 'error');
  } finally {
    place.signal.removeEventListener('abort', abort);
  }
  if (done) changed();
}

/** Sends a file. `fetch` does not report progress, so this is the older request. */
function put(address, file, signal, show) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(), abort = () => request.abort();
    request.open('PUT', address);
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    if (session.token) request.setRequestHeader('X-Godwit-CSRF', session.token);
    show(0);
    request.upload.addEventListener('progress', event => show(event.loaded));
    request.addEventListener('load', () => request.status < 300 ? resolve() : reject(failureOf(request.status, request.responseText)));
    request.addEventListener('error', () => reject(new RequestError(0, 'offline', texts.upload.broken)));
    request.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
    signal.addEventListener('abort', abort);
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    request.send(file);
  });
}
