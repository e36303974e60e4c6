// The page: photos of the server on a map, live, by time, and one of them open.
import { close, closeFull, isFull, onAddress, open, openFull, openId } from './address.js';
import { byId, clearNotice, h, icon, iconButton, isPhone, notice, setText } from './elements.js';
import { hideFull, onFull, prepareFull, showFull } from './full.js';
import { follow } from './live.js';
import { onNear, showNear } from './near.js';
import { focusPanel, hasFocus, hidePhoto, onPanel, showPhoto, showPlaceInTime } from './panel.js';
import { knownDetails, newestFirst, ownerOf, photos, readDetails, thumbnailOf } from './photos.js';
import { focusPhoto, highlight, onArranged, onOpen, setOpen, setPhotos } from './pins.js';
import { texts } from './texts.js';
import { isInTime, isLimited, onTimes, resetTimes, setTimes } from './times.js';
import { fit, fitTo, isOwnView, map, onResize, showPlace } from './view.js';

/** Above this duration of drawing, in milliseconds, the map follows the time slider only when it rests. */
const QUICK = 24, REST = 140;
/** Several new photos are drawn together. */
const TOGETHER = 60;
const NEWS = 6000;

let isRead = false;
let inTime = [];             // the photos of the chosen time, the newest first
let here = null;             // the photos at the place of the open one, if it was opened from a group
let cost = 0, drawing = 0, resting = 0, fresh = [];

fitTo(() => inTime.map(photo => [photo.latitude, photo.longitude]));

// MARK: Drawing

function draw() {
  clearTimeout(resting);
  const start = performance.now();
  const all = newestFirst();
  inTime = isLimited() ? all.filter(isInTime) : all;
  setPhotos(inTime);
  cost = performance.now() - start;
  showState();
  if (openId()) showPlaceInTime(placeInTime(openId()));
}

/** Draws after a change of the photos. A fitted view stays one: it is fitted again when a new photo is outside of it. */
function redraw(isFirst = false) {
  clearTimeout(drawing);
  drawing = 0;
  setTimes(newestFirst());
  draw();
  const ids = fresh.filter(id => photos.has(id)), bounds = map.getBounds();
  fresh = [];
  const isOutside = ids.some(id => !bounds.contains([photos.get(id).latitude, photos.get(id).longitude]));
  if (isFirst || isOutside && !isOwnView() && !openId()) fit();
  // Pins appear with the next frame.
  if (ids.length) setTimeout(() => highlight(ids), 50);
}

function redrawSoon() { drawing = drawing || setTimeout(() => redraw(), TOGETHER); }

onTimes(isDragging => {
  clearTimeout(resting);
  if (cost < QUICK || !isDragging) draw(); else resting = setTimeout(draw, REST);
});

onArranged(() => {
  if (!isRead) return;
  const inView = showNear(inTime, map.getBounds());
  const parts = [isLimited() ? texts.counts.ofAll(inTime.length, photos.size) : texts.counts.all(photos.size)];
  if (inTime.length && !isPhone()) parts.push(texts.counts.inView(inView));
  setText(byId('counts'), parts.join(' · '));
});

function showState() {
  const box = byId('state'), kind = !isRead ? 'loading' : !photos.size ? 'none' : !inTime.length ? 'time' : '';
  box.hidden = !kind;
  if (box.dataset.kind === kind) return;
  box.dataset.kind = kind;
  box.replaceChildren(...{
    '': [],
    loading: [h('span', { class: 'spinner', 'aria-hidden': 'true' }), h('p', null, texts.states.loading)],
    none: [icon('pictures'), h('p', { class: 'state-title' }, texts.states.none), h('p', null, texts.states.noneMore)],
    time: [icon('clock'), h('p', { class: 'state-title' }, texts.states.noneInTime),
      h('button', { type: 'button', onclick: () => { resetTimes(); byId('map').focus({ preventScroll: true }); } }, texts.states.allTimes)],
  }[kind]);
}

// MARK: Live

const live = follow({
  onList({ fresh: ids, isFirst, isPart }) {
    clearNotice('photos');
    if (isPart) notice('part', 'info', texts.live.part(photos.size)); else clearNotice('part');
    isRead = true;
    if (!isFirst) {
      fresh.push(...ids);
      if (ids.length > 1) showNews(null, ids.length); else if (ids.length) showNews({ id: ids[0] });
    }
    redraw(isFirst);
    document.body.dataset.ready = 'yes';
    if (isFirst) showOpen(true); else checkOpen();
  },
  onNew(photo) {
    gone.delete(photo.id);
    fresh.push(photo.id);
    showNews(photo);
    redrawSoon();
  },
  onChange(photo) {
    if (typeof photo.latitude !== 'number') tellWithoutPlace(photo);
    if (openId() === photo.id) showOpen();
    redrawSoon();
  },
  onGone(id) {
    redrawSoon();
    if (newsId === id) hideNews();
    if (openId() === id) closeGone();
  },
  onFailure(error) {
    if (!isRead) setText(byId('counts'), '');
    notice('photos', 'error', texts.errors.photos(error.message), { label: texts.tryAgain, run: () => live.reload() });
  },
  onConnection(isConnected) {
    document.body.classList.toggle('is-lost', !isConnected);
    if (isConnected) clearNotice('live');
    else notice('live', 'wait', navigator.onLine ? texts.live.lost : texts.live.offline);
  },
});

/** The photo was perhaps deleted while there was no connection. */
function checkOpen() {
  const id = openId();
  if (!id || photos.has(id)) return;
  readDetails(id).catch(error => { if (error.status === 404 && openId() === id) closeGone(); });
}

const gone = new Set();

function closeGone() {
  gone.add(openId());
  notice('open', 'info', texts.live.openGone);
  close();
}

// MARK: News

let newsTimer = 0, newsId = null;
const told = new Set();

function tellWithoutPlace(photo) {
  // Only photos of now are news, not each change of an old one.
  if (told.has(photo.id) || Math.abs(Date.now() / 1000 - photo.sort) > 120) return;
  told.add(photo.id);
  showNews(photo, 1, true);
}

function hideNews() {
  byId('news').replaceChildren();
  newsId = null;
}

/** Tells about a new photo, or several, for some seconds. */
function showNews(photo, count = 1, isWithoutPlace = false) {
  const box = byId('news'), owner = photo ? photo.user || ownerOf(photo.id) : '';
  const text = count > 1 ? texts.live.areNew(count) : isWithoutPlace ? texts.live.withoutPlace(owner) : texts.live.isNew(owner);
  newsId = photo && photo.id;
  clearTimeout(newsTimer);
  newsTimer = setTimeout(function rest() {
    // It remains while the user is at it.
    if (box.matches(':hover, :focus-within')) newsTimer = setTimeout(rest, 1000); else hideNews();
  }, NEWS);
  const image = photo ? h('img', { src: thumbnailOf(photo.id), alt: '' }) : icon('pictures');
  image.addEventListener('error', () => image.remove());
  box.replaceChildren(h('button', { type: 'button', onclick: () => { hideNews(); if (photo) openPhoto(photo.id, null); else fit(); } },
    image, h('span', { dir: 'auto' }, text)), iconButton('close', texts.close, hideNews));
}

// MARK: The open photo

let opener = null;           // what had the keyboard's focus before

function openPhoto(id, list) {
  here = list;
  if (!openId()) opener = document.activeElement;
  open(id);
  focusPanel();
}

onOpen((photo, list) => openPhoto(photo.id, list));
onNear(id => openPhoto(id, null));

/** The place of a photo among those that the buttons go through; `null` if it is none of them. */
function placeInTime(id) {
  const isHere = here !== null && here.some(photo => photo.id === id);
  const list = isHere ? here.filter(photo => photos.has(photo.id)) : inTime, index = list.findIndex(photo => photo.id === id);
  return index < 0 ? null : { index, count: list.length, isHere, list };
}

function step(direction) {
  const place = placeInTime(openId()), next = place && place.list[place.index + direction];
  if (next) open(next.id);
}

onPanel({
  close,
  step,
  full: () => { prepareFull(); openFull(); },
  toMap: () => {
    const photo = photos.get(openId());
    if (photo) showPlace([photo.latitude, photo.longitude], true);
  },
});
onFull({ close: closeFull, step });

let wasOpen = null;

/** Shows the photo of the address; `isStart` when the page was opened with it. */
function showOpen(isStart = false) {
  const id = openId();
  if (!isRead) return;
  if (id && gone.has(id)) return close();
  if (!id) return showNone();
  const known = knownDetails(id), listed = photos.get(id), isOther = wasOpen !== id;
  wasOpen = id;
  if (!known && !listed) return readOpen(id);
  show(known || listed, Boolean(known));
  setOpen(listed || null);
  if (isOther) {
    clearNotice('open');
    if (listed) requestAnimationFrame(() => showPlace([listed.latitude, listed.longitude], isStart));
    if (!known) readOpen(id);
  }
}

function show(photo, isWhole) {
  const place = placeInTime(photo.id);
  showPhoto(photo, place, isWhole);
  if (isFull()) showFull(photo, place); else hideFull();
  document.title = `${photo.caption || texts.photo.title} · ${texts.title}`;
}

async function readOpen(id) {
  try {
    const photo = await readDetails(id);
    if (openId() === id) show(photo, true);
  } catch (error) {
    if (openId() !== id) return;
    notice('open', 'error', error.status === 404 ? texts.errors.noPhoto : texts.errors.photo(error.message),
      error.status === 404 ? null : { label: texts.tryAgain, run: () => readOpen(id) });
    if (error.status === 404) close();
  }
}

function showNone() {
  const hadFocus = hasFocus() || document.activeElement === document.body;
  hideFull();
  if (!wasOpen) return;
  const id = wasOpen;
  wasOpen = here = null;
  setOpen(null);
  hidePhoto();
  document.title = texts.title;
  if (!hadFocus) return;
  if (opener && opener.isConnected && !opener.closest('.map') && opener !== document.body) opener.focus({ preventScroll: true });
  else if (!focusPhoto(id)) byId('map').focus({ preventScroll: true });
  opener = null;
}

onAddress(() => showOpen());
onResize(() => {
  const photo = photos.get(openId());
  if (photo) showPlace([photo.latitude, photo.longitude]);
});
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && openId() && !isFull() && !event.defaultPrevented) close();
});

showState();
