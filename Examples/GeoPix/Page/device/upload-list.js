// The list of photos that are being stored, with the state of each.
import { button, h, icon, iconButton, setBar, setText } from './elements.js';
import { texts } from './texts.js';
import { onUploads, remove, retry, retryAll, uploads } from './uploads.js';

/** The maximum number of listed photos; failed ones come first. */
const SHOWN_MAX = 40;

const ORDER = { failed: 0, sending: 1, waiting: 2, saved: 3 };

export function uploadList() {
  const summary = h('p', { class: 'uploads-summary', role: 'status' }), list = h('ul'), more = h('p', { class: 'uploads-more' });
  const allAgain = button(texts.uploads.allAgain, retryAll, { class: 'small secondary' });
  const element = h('section', { class: 'uploads glass-dark', 'aria-label': texts.uploads.title, hidden: true }, summary, list, more, allAgain);
  const lines = new Map();

  function update() {
    const now = uploads();
    element.hidden = !now.items.length;
    setText(summary, now.total > 1 ? texts.uploads.savedOf(now.saved, now.total) + (now.failed ? ` · ${texts.uploads.failed(now.failed)}` : '') : '');
    const shown = now.items.slice().sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.id - b.id).slice(0, SHOWN_MAX);
    setText(more, now.items.length > shown.length ? texts.uploads.more(now.items.length - shown.length) : '');
    allAgain.hidden = now.items.filter(item => item.state === 'failed' && item.canRetry).length < 2;
    for (const [id, line] of lines) {
      if (shown.some(item => item.id === id)) continue;
      line.element.remove();
      lines.delete(id);
    }
    shown.forEach((item, index) => {
      if (!lines.has(item.id)) lines.set(item.id, uploadLine(item));
      const line = lines.get(item.id);
      line.update();
      if (list.children[index] !== line.element) list.insertBefore(line.element, list.children[index] || null);
    });
  }

  const stop = onUploads(update);
  update();
  return { element, stop };
}

function stateText(item) {
  if (item.state === 'sending') return item.progress < 1 ? texts.uploads.sending(Math.round(item.progress * 100)) : texts.uploads.working;
  return item.state === 'failed' ? item.reason : texts.uploads[item.state];
}

function uploadLine(item) {
  const picture = h('span', { class: 'upload-picture' }, item.preview ? h('img', { src: item.preview, alt: '' }) : icon('file'));
  const text = h('span', { class: 'upload-state' }), bar = h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span'));
  const again = iconButton('turn', texts.uploads.again(item.name), () => retry(item), { class: 'round plain' });
  const drop = iconButton('close', texts.uploads.remove(item.name), () => remove(item), { class: 'round plain' });
  const element = h('li', null, picture, h('span', { class: 'upload-text' }, h('span', { class: 'upload-name', dir: 'auto' }, item.name), text, bar), again, drop);
  return {
    element,
    update() {
      element.dataset.state = item.state;
      setText(text, stateText(item));
      bar.hidden = item.state !== 'sending';
      setBar(bar, item.progress);
      again.hidden = item.state !== 'failed' || !item.canRetry;
      drop.hidden = item.state !== 'failed' && item.state !== 'waiting';
      if (item.state === 'saved' && !picture.querySelector('.icon-check')) {
        const mark = icon('check');
        mark.classList.add('icon-check');
        picture.replaceChildren(h('img', { src: item.preview, alt: '' }), mark);
      }
    },
  };
}
