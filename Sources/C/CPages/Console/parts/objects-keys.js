// The keys of an account, which are shown once, with the endpoints of the storage.
import { button, dialog, h } from '../view.js';
import { texts } from '../texts.js';
import { block } from './same.js';

const t = texts.objects;

/** The addresses that clients of S3 and of Swift need. */
export const endpoints = () => [[t.endpointS3, `${location.origin}/_s3`], [t.endpointSwift, `${location.origin}/v3`]];

/** Shows new keys until the user has stored them. `keys` is the server's answer. */
export function showKeys(keys, signal) {
  const element = dialog(t.keysOf(keys.name), close => h('div', { class: 'form' },
    h('p', { class: 'warning', role: 'status' }, t.shownOnce), block(t.accessKey, keys.access_key), block(t.secretKey, keys.secret_key),
    endpoints().map(([title, address]) => block(title, address)), h('p', { class: 'note' }, t.regionNote(keys.name)),
    h('div', { class: 'buttons' }, button(t.done, close, { class: 'primary' }))));
  signal.addEventListener('abort', () => element.close());
}
