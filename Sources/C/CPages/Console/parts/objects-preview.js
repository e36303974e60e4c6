// The preview of an object: pictures, sound and films up to a size, and shorter texts.
import { bytes, h, load } from '../view.js';
import { texts } from '../texts.js';
import { readBlob } from './objects-read.js';

const MEDIA_BYTES_MAX = 10e6, TEXT_BYTES_MAX = 256e3;
const t = texts.objects;

/** How an object of a type is shown; `null` for no preview. Pages and drawings with scripts are texts, or have none. */
function kindOf(type) {
  if (/^image\/(png|jpeg|gif|webp)$/.test(type)) return 'img';
  if (/^(audio|video)\/[\w.+-]+$/.test(type)) return type.slice(0, 5);
  return /^text\/|^application\/(.+\+)?json$/.test(type) ? 'text' : null;
}

/** The preview: `{ element, close() }`. `close` releases the memory of the object. */
export function preview(address, row, signal) {
  const element = h('div', { class: 'preview' }), type = (row.content_type || '').split(';')[0].trim().toLowerCase(), kind = kindOf(type);
  const bytesMax = kind === 'text' ? TEXT_BYTES_MAX : MEDIA_BYTES_MAX;
  let blobAddress = null;
  if (kind === null || row.bytes > bytesMax) {
    element.append(h('p', { class: 'note' }, kind === null ? t.noPreview : t.previewTooLarge(bytes(bytesMax))));
  } else {
    load(element, () => readBlob(address, type, bytesMax, signal), async blob => {
      if (kind === 'text') return h('pre', { tabindex: '0', dir: 'auto' }, await blob.text());
      blobAddress = URL.createObjectURL(blob);
      return kind === 'img' ? h('img', { src: blobAddress, alt: row.name }) : h(kind, { src: blobAddress, controls: true });
    }, signal);
  }
  return { element, close() { if (blobAddress) URL.revokeObjectURL(blobAddress); } };
}
