// The open photo: next to the map on a desktop, a sheet at the bottom of a phone.
import { byId, h, iconButton, isPhone, momentOf, placeOf, setText } from './elements.js';
import { ownerOf, thumbnailOf } from './photos.js';
import { texts } from './texts.js';

/** The length of a swipe in pixels. */
const SWIPE = 48;

const panel = byId('photo');
let handlers = {};
let shownId = null, shownImage = null;

/** Sets the functions that the panel calls: `close`, `full`, `step(1 | -1)` (older, newer) and `toMap`. */
export function onPanel(functions) { handlers = functions; }

const heading = h('h2', { id: 'photo-title', tabindex: '-1', dir: 'auto' }), position = h('p', { class: 'photo-position' });
const image = h('img', { alt: '', decoding: 'async', draggable: 'false' });
const picture = h('button', { type: 'button', class: 'photo-picture', onclick: () => handlers.full() }, image);
const failed = h('p', { class: 'photo-failed', hidden: true }, texts.errors.picture);
image.addEventListener('error', () => { failed.hidden = false; });
image.addEventListener('load', () => { failed.hidden = true; });
const facts = h('dl', { class: 'photo-facts' });
const older = iconButton('older', texts.photo.older, () => step(older, 1)), newer = iconButton('newer', texts.photo.newer, () => step(newer, -1));
const toMap = iconButton('pin', texts.photo.toMap, () => handlers.toMap());

panel.append(
  h('div', { class: 'photo-grip', 'aria-hidden': 'true' }),
  h('div', { class: 'photo-bar' }, older, newer, position, toMap, iconButton('full', texts.photo.full, () => handlers.full()),
    iconButton('close', texts.close, () => handlers.close())),
  h('div', { class: 'photo-body' }, picture, failed, h('div', { class: 'photo-text' }, heading, facts)));

function step(button, direction) { if (button.getAttribute('aria-disabled') !== 'true') handlers.step(direction); }

/**
 * Shows a photo. `place` is `{ index, count, isHere }`: its place among the photos of the shown time, or of those at the same
 * place; `null` if it is none of them. `isWhole` is false while only the list's entry is known.
 */
export function showPhoto(photo, place, isWhole) {
  const isOther = shownId !== photo.id;
  shownId = photo.id;
  const owner = photo.user || ownerOf(photo.id);
  setText(heading, photo.caption || texts.photo.title);
  heading.classList.toggle('no-caption', !photo.caption);
  if (isOther) {
    image.src = thumbnailOf(photo.id);
    shownImage = null;
    failed.hidden = true;
    panel.querySelector('.photo-body').scrollTop = 0;
  }
  image.alt = photo.caption || texts.photo.alternative(owner);
  picture.setAttribute('aria-label', `${image.alt}. ${texts.photo.full}`);
  picture.title = texts.photo.full;
  if (photo.image && photo.image !== shownImage) showLarge(photo);
  showFacts(photo, owner);
  showPlaceInTime(place);
  panel.setAttribute('aria-busy', String(!isWhole));
  toMap.hidden = typeof photo.latitude !== 'number';
  panel.hidden = false;
  document.body.classList.add('has-photo');
  coverFoot();
}

/** What the sheet of a phone covers cannot have the keyboard's focus. */
function coverFoot() { document.querySelector('.foot').inert = !panel.hidden && isPhone(); }

addEventListener('resize', coverFoot);

/** Replaces the thumbnail by the picture when it is there. */
function showLarge(photo) {
  shownImage = photo.image;
  const large = new Image();
  large.onload = () => { if (shownImage === photo.image) image.src = large.src; };
  large.src = photo.image;
}

function showFacts(photo, owner) {
  const rows = [[texts.photo.taken, momentOf(photo.sort)]];
  const hasPlace = typeof photo.latitude === 'number' && typeof photo.longitude === 'number';
  rows.push([texts.photo.place, hasPlace ? placeOf(photo.latitude, photo.longitude) : texts.photo.withoutPlace]);
  if (typeof photo.altitude === 'number') rows.push([texts.photo.altitude, texts.photo.metres(photo.altitude)]);
  if (owner) rows.push([texts.photo.owner, h('bdi', null, owner)]);
  facts.replaceChildren(...rows.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))));
}

export function showPlaceInTime(place) {
  setText(position, place ? (place.isHere ? texts.photo.positionHere : texts.photo.position)(place.count - place.index, place.count) : '');
  newer.setAttribute('aria-disabled', String(!place || place.index === 0));
  older.setAttribute('aria-disabled', String(!place || place.index === place.count - 1));
}

export function hidePhoto() {
  panel.hidden = true;
  shownId = shownImage = null;
  image.removeAttribute('src');
  panel.style.transform = '';
  document.body.classList.remove('has-photo');
  coverFoot();
}

export function focusPanel() { heading.focus({ preventScroll: true }); }
export const hasFocus = () => panel.contains(document.activeElement);

panel.addEventListener('keydown', event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === 'Escape') handlers.close();
  else if (event.key === 'ArrowLeft') step(older, 1);
  else if (event.key === 'ArrowRight') step(newer, -1);
  else return;
  event.preventDefault();
  event.stopPropagation();
});

// MARK: Swipes

/** Calls a function with the way of a finger or of a pen on an element, in pixels; also while it moves. */
export function onSwipe(element, handler) {
  let start = null;
  element.addEventListener('touchstart', event => {
    start = event.touches.length === 1 ? { x: event.touches[0].clientX, y: event.touches[0].clientY } : null;
  }, { passive: true });
  const way = event => ({ x: event.changedTouches[0].clientX - start.x, y: event.changedTouches[0].clientY - start.y });
  element.addEventListener('touchmove', event => { if (start) handler(way(event), false); }, { passive: true });
  element.addEventListener('touchend', event => { if (start) { handler(way(event), true); start = null; } }, { passive: true });
  element.addEventListener('touchcancel', () => { if (start) { handler({ x: 0, y: 0 }, true); start = null; } }, { passive: true });
}

/** The step of a swipe: 1 older, -1 newer, 0 none. Older photos are at the left, as in the time slider. */
export function swipeStep({ x, y }) { return Math.abs(x) < SWIPE || Math.abs(x) < 1.5 * Math.abs(y) ? 0 : x < 0 ? -1 : 1; }

onSwipe(picture, (way, isEnd) => { if (isEnd && swipeStep(way)) step(swipeStep(way) > 0 ? older : newer, swipeStep(way)); });

for (const part of ['.photo-grip', '.photo-bar']) {
  onSwipe(panel.querySelector(part), (way, isEnd) => {
    if (!isPhone()) return;
    panel.style.transform = isEnd || way.y < 4 ? '' : `translateY(${way.y}px)`;
    if (isEnd && way.y > 2 * SWIPE) handlers.close();
  });
}
