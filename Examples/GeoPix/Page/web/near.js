// The newest photos in view, below the header of a desktop, while no photo is open.
import { byId, dateOf, h, isPhone, setText } from './elements.js';
import { thumbnailOf } from './photos.js';
import { texts } from './texts.js';

/** The maximum number of photos, and that in a high window. */
const NEAR_MAX = 12, HIGH_MAX = 24, HIGH = 1100;

let open = () => {};
/** Calls a function with the photo that the user opens. */
export function onNear(handler) { open = handler; }

/** Shows the newest of the photos in view, and returns how many are. */
export function showNear(photos, bounds) {
  const most = isPhone() ? 0 : innerHeight >= HIGH ? HIGH_MAX : NEAR_MAX, near = [];
  const [south, north, west, east] = [bounds.getSouth(), bounds.getNorth(), bounds.getWest(), bounds.getEast()];
  let count = 0;
  for (const photo of photos) {
    if (photo.latitude < south || photo.latitude > north || photo.longitude < west || photo.longitude > east) continue;
    count += 1;
    if (near.length < most) near.push(photo);
  }
  byId('near').hidden = !near.length;
  if (near.length) draw(near, count);
  return count;
}

function draw(near, count) {
  const list = byId('near-list'), known = new Map(Array.from(list.children, item => [item.dataset.photo, item]));
  setText(byId('near-title'), texts.near.title);
  // Elements that remain keep their pictures and the keyboard's focus.
  const items = near.map(photo => known.get(photo.id) || itemOf(photo));
  const isSame = items.length === list.children.length && items.every((item, index) => item === list.children[index]);
  if (isSame) return;
  const focused = document.activeElement;
  list.replaceChildren(...items);
  if (focused && focused !== document.activeElement && list.contains(focused)) focused.focus({ preventScroll: true });
}

function itemOf(photo) {
  const label = texts.map.pin(dateOf(photo.sort)), image = h('img', { src: thumbnailOf(photo.id), alt: '', loading: 'lazy', decoding: 'async' });
  const button = h('button', { type: 'button', 'aria-label': label, title: label, onclick: () => open(photo.id) }, image);
  image.addEventListener('error', () => button.classList.add('no-picture'), { once: true });
  return h('li', { 'data-photo': photo.id }, button);
}
