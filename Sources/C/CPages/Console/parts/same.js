// The requests of a page as lines of curl, and as Swift.
import { curlLine } from '../api.js';
import { button, h, toast } from '../view.js';
import { texts } from '../texts.js';

/**
 * A part that can be opened, with the same request elsewhere.
 *
 * @param requests `[{ method, address, body }]`, or a function that returns them when the part is opened.
 * @param swift Swift code, or a function that returns it; none without it.
 */
export function sameElsewhere(requests, swift) {
  const content = h('div', { class: 'same-content' });
  const details = h('details', { class: 'same' }, h('summary', null, swift ? texts.same.title : texts.same.titleOfCurl), content);
  details.addEventListener('toggle', () => {
    if (!details.open) return;
    const list = typeof requests === 'function' ? requests() : requests;
    const code = typeof swift === 'function' ? swift() : swift;
    content.replaceChildren(
      block('curl', list.map(request => curlLine(request.method || 'GET', request.address, request.body)).join('\n')),
      ...(code ? [block('Swift', code)] : []));
  });
  return details;
}

/** A block of code with a button that copies it. */
export function block(title, code) {
  const copy = button(texts.same.copy, async () => {
    try {
      await navigator.clipboard.writeText(code);
      toast(texts.same.copied);
    } catch {
      toast(texts.same.notCopied, 'error');
    }
  }, { class: 'quiet' });
  return h('div', { class: 'code' }, h('div', { class: 'code-head' }, h('span', null, title), copy), h('pre', { tabindex: '0' }, code));
}
