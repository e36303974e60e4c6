// A photo of the feed: the picture with its words, and who posted it.
import { h } from './elements.js';
import { texts } from './texts.js';

const UNITS = [[604800, 'w'], [86400, 'd'], [3600, 'h'], [60, 'm'], [1, 's']];

/** The time since `time`, in seconds since 1970, in one unit. */
export function age(time) {
  const seconds = Math.floor(Date.now() / 1000 - time);
  const unit = UNITS.find(([length]) => seconds >= length);
  return unit ? `${Math.floor(seconds / unit[0])}${unit[1]}` : 'now';
}

/** The ages of a list, written again. */
export function updateAges(list) {
  list.querySelectorAll('time[data-time]').forEach(element => {
    const text = age(Number(element.dataset.time));
    if (element.textContent !== text) element.textContent = text;
  });
}

export function ageElement(time) {
  const date = new Date(time * 1000);
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString(), 'data-time': time }, age(time));
}

/** The picture of a user, or the first letter of the name. `version` changes with the picture. */
export function portrait(user, name, version = '') {
  const letter = h('span', { 'aria-hidden': 'true' }, (name || user || '?').slice(0, 1).toUpperCase());
  const image = h('img', {
    src: `/portraits/${encodeURIComponent(user)}${version ? `?${version}` : ''}`, alt: '', hidden: true,
    onload: () => { image.hidden = false; letter.hidden = true; },
  });
  return h('span', { class: 'portrait' }, letter, image);
}

/** A picture that says what to do when it is not on the device. */
export function picture(address, text, { width, height }) {
  const missing = h('p', { class: 'missing', hidden: true }, texts.photo.missing);
  const image = h('img', {
    src: address, alt: text, loading: 'lazy', width: width || null, height: height || null,
    onerror: () => { image.hidden = true; missing.hidden = false; },
  });
  return h('span', { class: 'frame' }, image, missing);
}

export function photoText(photo) { return photo.caption || texts.photo.by(photo.name); }

/** A photo in a list. */
export function photoCard(photo) {
  return h('li', { class: 'photo', 'data-id': photo.id },
    h('div', { class: 'by' }, portrait(photo.owner, photo.name), h('bdi', { class: 'name' }, photo.name), ageElement(photo.time)),
    h('a', { class: 'picture', href: `#/photo/${photo.id}` }, picture(`/pictures/${photo.id}/thumbnail`, photoText(photo), photo)),
    photo.caption && h('p', { class: 'caption', dir: 'auto' }, photo.caption));
}
