// The large photo: over the whole window. It moves against its caption when the device is tilted.
import { h, iconButton, momentOf, setText } from './elements.js';
import { onSwipe, swipeStep } from './panel.js';
import { askForMotion, startParallax } from './parallax.js';
import { ownerOf, thumbnailOf } from './photos.js';
import { texts } from './texts.js';

let handlers = {};
let parallax = null, shownPath = null, shownId = null;
// A phone is tilted, and fills its screen; a desktop shows the whole photo.
let isFilled = matchMedia('(pointer: coarse)').matches;

/** Sets the functions that the large photo calls: `close` and `step(1 | -1)` (older, newer). */
export function onFull(functions) { handlers = functions; }

const background = h('div', { class: 'full-background', 'aria-hidden': 'true' });
const image = h('img', { class: 'full-whole', alt: '', draggable: 'false' });
const caption = h('p', { class: 'full-caption', dir: 'auto' }), date = h('p', { class: 'full-date' });
const content = h('div', { class: 'full-content' }, caption, date);
const older = iconButton('older', texts.photo.older, () => step(older, 1)), newer = iconButton('newer', texts.photo.newer, () => step(newer, -1));
const fill = iconButton('fill', texts.photo.fill, () => {
  isFilled = !isFilled;
  showKind();
}), close = iconButton('close', texts.close, () => handlers.close());
const dialog = h('dialog', { class: 'full', 'aria-label': texts.photo.title }, background, image,
  h('div', { class: 'full-shade', 'aria-hidden': 'true' }), content, h('div', { class: 'full-bar' }, fill, close),
  h('div', { class: 'full-step full-older' }, older), h('div', { class: 'full-step full-newer' }, newer));
document.body.append(dialog);

function step(button, direction) { if (button.getAttribute('aria-disabled') !== 'true') handlers.step(direction); }

function showKind() {
  dialog.classList.toggle('is-filled', isFilled);
  const label = isFilled ? texts.photo.whole : texts.photo.fill;
  fill.setAttribute('aria-label', label);
  fill.title = label;
  fill.setAttribute('aria-pressed', String(isFilled));
  parallax?.stop();
  const ratio = image.naturalHeight ? image.naturalWidth / image.naturalHeight : 0;
  parallax = isFilled && dialog.open ? startParallax({ background, content, ratio }) : null;
}

/** Call in a click: some browsers ask the user then. */
export function prepareFull() { if (isFilled) askForMotion().catch(() => {}); }

export function showFull(photo, place) {
  const path = photo.image || thumbnailOf(photo.id);
  if (!dialog.open) {
    dialog.showModal();
    close.focus();
  }
  setText(caption, photo.caption || '');
  setText(date, [momentOf(photo.sort), photo.user || ownerOf(photo.id)].filter(Boolean).join(' · '));
  image.alt = photo.caption || texts.photo.alternative(photo.user || ownerOf(photo.id));
  newer.setAttribute('aria-disabled', String(!place || place.index === 0));
  older.setAttribute('aria-disabled', String(!place || place.index === place.count - 1));
  if (path === shownPath && parallax) return;
  if (shownId !== photo.id) show(thumbnailOf(photo.id));
  [shownPath, shownId] = [path, photo.id];
  const large = new Image();
  large.onload = () => { if (shownPath === path) show(path); };
  large.src = path;
  showKind();
}

function show(path) {
  image.src = path;
  // The paths are those of the server; they are written as one text of CSS.
  background.style.backgroundImage = `url("${new URL(path, location.href).href.replace(/["\\\n]/g, '')}")`;
  image.onload = () => { if (dialog.open) showKind(); };
}

export function hideFull() {
  parallax?.stop();
  parallax = null;
  shownPath = shownId = null;
  image.onload = null;
  image.removeAttribute('src');
  background.style.backgroundImage = '';
  if (dialog.open) dialog.close();
}

dialog.addEventListener('cancel', event => {
  event.preventDefault();
  handlers.close();
});
// A browser may close the dialog by itself.
dialog.addEventListener('close', () => { if (shownId) handlers.close(); });
dialog.addEventListener('keydown', event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === 'ArrowLeft') step(older, 1);
  else if (event.key === 'ArrowRight') step(newer, -1);
  else return;
  event.preventDefault();
});
onSwipe(dialog, (way, isEnd) => {
  const direction = isEnd ? swipeStep(way) : 0;
  if (direction) step(direction > 0 ? older : newer, direction);
});
