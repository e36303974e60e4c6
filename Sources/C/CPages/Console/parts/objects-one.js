// One object in a dialog: its preview, its properties, and its address.
import { send } from '../api.js';
import { bytes, dialog, h, load, moment } from '../view.js';
import { texts } from '../texts.js';
import { downloadButton } from './objects-download.js';
import { storagePath } from './objects-paths.js';
import { preview } from './objects-preview.js';
import { curlPart } from './objects-same.js';
import { block } from './same.js';

const METADATA = 'x-object-meta-';
/** Headers that are shown if the object has them. */
const SHOWN = ['Content-Encoding', 'Content-Disposition', 'Content-Language', 'Cache-Control', 'X-Object-Manifest', 'X-Static-Large-Object'];
const t = texts.objects;

/** Opens the object of a row of the list. */
export function showObject(place, row) {
  const end = new AbortController(), address = storagePath(place.account, place.container, row.name);
  const picture = preview(address, row, end.signal), facts = h('div');
  const element = dialog(row.name, () => h('div', { class: 'stack' },
    h('h3', null, t.preview), picture.element, h('h3', null, t.properties), facts,
    place.isPublic && block(t.url, location.origin + address),
    h('div', { class: 'buttons' }, downloadButton(place, row)),
    curlPart([{ address, output: 'FILE' }, { method: 'HEAD', address }, { method: 'DELETE', address }])), { class: 'wide' });
  load(facts, () => send('HEAD', address, undefined, { signal: end.signal, headers: { Accept: '*/*' } }), response => factsOf(row, response.headers), end.signal);
  element.addEventListener('close', () => { end.abort(); picture.close(); });
  place.signal.addEventListener('abort', () => element.close());
}

function factsOf(row, headers) {
  const size = Number(headers.get('Content-Length') ?? row.bytes), modified = Date.parse(headers.get('Last-Modified'));
  const expires = headers.get('X-Delete-At'), metadata = [...headers].filter(([name]) => name.startsWith(METADATA));
  const facts = [
    [t.size, bytes(size)], [t.type, headers.get('Content-Type')], ['ETag', headers.get('ETag')], [t.changed, Number.isNaN(modified) ? null : moment(modified / 1000)],
    [t.expires, expires && moment(Number(expires))], ...SHOWN.map(name => [name, headers.get(name)]),
    ...metadata.map(([name, value]) => [t.metadata(name.slice(METADATA.length)), value]),
  ];
  return h('dl', { class: 'facts' }, facts.filter(([, value]) => value).map(([title, value]) => [h('dt', null, title), h('dd', null, h('bdi', null, value))]));
}
