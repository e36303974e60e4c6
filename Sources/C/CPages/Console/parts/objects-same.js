// The requests of a view as lines of curl, also with headers and files.
import { curlLine } from '../api.js';
import { h } from '../view.js';
import { texts } from '../texts.js';
import { block } from './same.js';

/** A part that can be opened, with requests `[{ method, address, body, headers, file, output }]` as `curlLine` has them. */
export function curlPart(requests) {
  const lines = requests.map(request => curlLine(request.method || 'GET', request.address, request.body, request));
  return h('details', { class: 'same' }, h('summary', null, texts.same.titleOfCurl), h('div', { class: 'same-content' }, block('curl', lines.join('\n'))));
}
