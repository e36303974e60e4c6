// Downloads objects: through the page up to a size, and with curl above it.
import { curlLine } from '../api.js';
import { actionButton, bytes, button, dialog, h } from '../view.js';
import { texts } from '../texts.js';
import { TooLarge } from './bounded-read.js';
import { storagePath } from './objects-paths.js';
import { readBlob } from './objects-read.js';
import { block } from './same.js';

const DOWNLOAD_BYTES_MAX = 100e6;
/** How long a blob stays in memory after its download began. */
const DOWNLOAD_MILLISECONDS = 60_000;
const t = texts.objects;

/** The name of a file for an object: the last part of its name. */
const fileName = name => name.split('/').filter(Boolean).at(-1) || 'object';

/** The button that downloads the object of a row. */
export function downloadButton(place, row) {
  return actionButton(t.download, () => download(place, row), { 'aria-label': t.downloadName(row.name) });
}

async function download(place, row) {
  const address = storagePath(place.account, place.container, row.name);
  if (row.bytes > DOWNLOAD_BYTES_MAX) return showLine(address, row.name, place.signal);
  try {
    // Without the object's type: no page of the object can run with the rights of the console.
    save(await readBlob(address, 'application/octet-stream', DOWNLOAD_BYTES_MAX, place.signal), fileName(row.name));
  } catch (error) {
    if (error instanceof TooLarge) return showLine(address, row.name, place.signal);
    if (error.name !== 'AbortError') throw error;
  }
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MILLISECONDS);
}

function showLine(address, name, signal) {
  const element = dialog(t.downloadTitle(name), close => h('div', { class: 'form' },
    h('p', null, t.downloadTooLarge(bytes(DOWNLOAD_BYTES_MAX))), block('curl', curlLine('GET', address, undefined, { output: fileName(name) })),
    h('div', { class: 'buttons' }, button(texts.close, close))));
  signal.addEventListener('abort', () => element.close());
}
