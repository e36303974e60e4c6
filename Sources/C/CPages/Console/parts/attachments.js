// The attachments of a document: preview, download, upload and deletion.
import { ask, documentPath, downloadAddress, isAddressable, send, withQuery } from '../api.js';
import { bytes, button, confirm, dialog, emptyState, h, load, toast } from '../view.js';
import { texts } from '../texts.js';
import { upload } from './upload.js';

/** How much of a text is shown, the largest attachment with a preview, and the maximum number of rows. */
const TEXT_BYTES = 64_000, PREVIEW_BYTES_MAX = 32 << 20, ROWS_MAX = 300;
/** How long a blob stays in memory after a download began. */
const DOWNLOAD_MILLISECONDS = 60_000;
const t = texts.attachments;

const TEXTS = /^(text\/|application\/(json|xml|javascript|x-ndjson|geo\+json|sql|yaml|toml)|image\/svg)|\+(json|xml)$/;

function kindOf(type) {
  if (/^image\/(png|jpeg|gif|webp|avif|bmp|x-icon)/.test(type)) return 'image';
  if (/^audio\//.test(type)) return 'audio';
  if (/^video\//.test(type)) return 'video';
  if (/^application\/pdf/.test(type)) return 'pdf';
  return TEXTS.test(type) ? 'text' : null;
}

/** The attachments of an object `_attachments` as a list, sorted by name. */
export const listOf = stubs => Object.entries(stubs || {}).map(([name, stub]) => ({ name, ...stub })).sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * The list of attachments.
 *
 * @param place `{ database, id, revision, attachments }` of what is shown; the revision is `null` for a new document.
 * @param options `isReadOnly`; `changed()` is called after an upload or a deletion; `signal`.
 */
export function attachments(place, options) {
  const list = listOf(place.attachments), shown = list.slice(0, ROWS_MAX);
  return h('div', { class: 'attachments' },
    list.length ? h('ul', { class: 'plain-list' }, shown.map(item => row(place, item, options))) : emptyState(t.none),
    list.length > shown.length && h('p', { class: 'note' }, t.leftOut(list.length - shown.length)),
    !options.isReadOnly && uploader(place, options));
}

const addressOf = (place, name) => withQuery(documentPath(place.database, place.id, name), { rev: place.revision });

function row(place, item, options) {
  if (!isAddressable(item.name)) return h('li', { class: 'attachment' }, h('bdi', null, item.name), h('span', { class: 'note' }, t.notAddressable));
  const address = addressOf(place, item.name), kind = kindOf(item.content_type || '');
  return h('li', { class: 'attachment' },
    h('div', { class: 'attachment-name' }, h('bdi', null, item.name), h('span', { class: 'note' }, `${item.content_type} · ${bytes(item.length)}`)),
    h('div', { class: 'row-buttons' },
      kind && (kind === 'text' || item.length <= PREVIEW_BYTES_MAX) && button(t.preview, () => preview(address, item, kind, options), { 'aria-label': t.previewName(item.name) }),
      h('a', { class: 'as-button', href: downloadAddress(address), download: item.name, 'aria-label': t.downloadName(item.name) }, t.download),
      !options.isReadOnly && button(t.delete, () => remove(place, item, options), { class: 'danger-quiet', 'aria-label': t.deleteName(item.name) })));
}

// ---- Preview

function preview(address, item, kind, options) {
  const end = new AbortController();
  let blobAddress = null;
  const element = dialog(item.name, () => {
    const host = h('div', { class: 'preview' });
    load(host, async () => {
      if (kind === 'text') return textView(await beginning(address, item, end.signal), item);
      const response = await send('GET', address, undefined, { signal: end.signal, headers: { Accept: '*/*' } });
      const blob = await response.blob();
      if (end.signal.aborted) return null;
      blobAddress = URL.createObjectURL(kind === 'pdf' ? new Blob([blob], { type: 'application/pdf' }) : blob);
      return mediaView(kind, blobAddress, item.name);
    }, view => view, end.signal);
    return host;
  }, { class: 'wide' });
  const finish = () => { end.abort(); if (blobAddress) URL.revokeObjectURL(blobAddress); };
  element.addEventListener('close', finish);
  options.signal.addEventListener('abort', () => element.close());
}

async function beginning(address, item, signal) {
  const headers = { Accept: '*/*', ...(item.length > TEXT_BYTES ? { Range: `bytes=0-${TEXT_BYTES - 1}` } : {}) };
  const response = await send('GET', address, undefined, { signal, headers });
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = '', total = 0;
  while (total < TEXT_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, TEXT_BYTES - total), { stream: true });
    total += value.length;
  }
  reader.cancel().catch(() => {});
  return text;
}

function textView(text, item) {
  return [item.length > TEXT_BYTES && h('p', { class: 'note' }, t.beginning(bytes(TEXT_BYTES), bytes(item.length))), h('pre', { tabindex: '0', dir: 'auto' }, text)];
}

function mediaView(kind, address, name) {
  if (kind === 'image') return h('img', { src: address, alt: name });
  if (kind === 'pdf') return h('iframe', { src: address, title: name });
  return h(kind, { src: address, controls: true });
}

// ---- Changes

function remove(place, item, options) {
  confirm(t.deleteTitle(item.name), t.deleteWarning, t.delete, async () => {
    await ask('DELETE', addressOf(place, item.name));
    toast(t.wasDeleted(item.name));
    options.changed();
  });
}

function uploader(place, options) {
  const progress = h('div', { role: 'status' });
  const choose = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': t.choose, onchange: () => uploadAll([...choose.files]) });
  const uploadAll = async files => {
    let revision = place.revision;
    try {
      for (const file of files) {
        const address = withQuery(documentPath(place.database, place.id, file.name), { rev: revision });
        revision = (await upload(address, file, progress, options.signal)).rev;
        toast(t.wasUploaded(file.name));
      }
    } catch (error) {
      if (error.name !== 'AbortError') toast(error.status === 409 ? t.conflict : error.message, 'error');
    }
    progress.replaceChildren();
    choose.value = '';
    if (revision !== place.revision && !options.signal.aborted) options.changed();
  };
  const zone = h('div', {
    class: 'drop', ondragover: event => { event.preventDefault(); zone.classList.add('drop-over'); },
    ondragleave: () => zone.classList.remove('drop-over'),
    ondrop: event => {
      event.preventDefault();
      zone.classList.remove('drop-over');
      if (event.dataTransfer.files.length) uploadAll([...event.dataTransfer.files]);
    },
  }, choose, button(t.choose, () => choose.click()), h('span', { class: 'note' }, t.drop), progress);
  return zone;
}

/** Copies an attachment from one revision of a document to another, and returns the new revision. */
export async function copyAttachment(place, name, from, signal) {
  const response = await send('GET', withQuery(documentPath(place.database, place.id, name), { rev: from }), undefined, { signal, headers: { Accept: '*/*' } });
  const blob = await response.blob();
  return (await ask('PUT', addressOf(place, name), blob, { signal })).rev;
}

/** Saves a text as a file. */
export function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MILLISECONDS);
}
