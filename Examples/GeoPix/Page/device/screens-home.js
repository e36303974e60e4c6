// The main screen: the last photo as the background, two buttons, the location, and the state of the replication.
import { act } from './api.js';
import { announce, button, h, icon, iconLink, setBar, setText, spinner, stateBox, toast, whileBusy } from './elements.js';
import { findAgain, locationStatus, onLocationStatus } from './location.js';
import { startParallax } from './parallax.js';
import { photoAddress, photoHash } from './photo-addresses.js';
import { store } from './state.js';
import { texts } from './texts.js';
import { onUploads, uploads } from './uploads.js';

const FADE_MILLISECONDS = 700;
const TICK_MILLISECONDS = 1000;
/** The age from which a location is too old for a photo, in seconds. */
const FRESH_SECONDS = 15;

export function showHome(host) {
  const content = h('div', { class: 'home-content' });
  const background = backdrop(content);
  const place = locationLabel(), last = lastPhoto(), status = replicationStatus(), storing = uploadStatus();
  const user = h('span', { class: 'home-user', dir: 'auto' });
  const count = h('span', { class: 'badge', 'aria-hidden': 'true' });
  const gallery = bigLink('pictures', texts.home.gallery, '#/gallery', 'big-glass', count);
  const capture = bigLink('camera', texts.home.capture, '#/camera', 'big-capture');
  const empty = h('div', { class: 'home-empty glass' }, stateBox('pictures', texts.home.emptyTitle, texts.home.empty));
  host.classList.add('home');
  content.append(
    h('header', { class: 'home-top' },
      h('div', { class: 'glass home-name' }, h('h1', null, texts.home.title), user),
      iconLink('settings', texts.home.settings, '#/settings', { class: 'round glass' })),
    place.element, h('div', { class: 'home-space' }, empty), last.element,
    h('section', { class: 'dock glass' }, h('nav', { class: 'big-row', 'aria-label': texts.name }, capture, gallery), storing.element, status.element));
  host.append(background.element, content);

  let state = null;
  const tick = setInterval(() => state && place.update(state), TICK_MILLISECONDS);
  const forget = [onLocationStatus(() => state && place.update(state)), onUploads(storing.update)];
  storing.update();
  return {
    title: texts.name,
    update(newState) {
      state = newState;
      setText(user, state.user || '');
      user.title = texts.home.signedInAs(state.user || '');
      setText(count, state.count > 0 ? String(state.count) : '');
      gallery.setAttribute('aria-label', texts.home.galleryCount(state.count));
      empty.hidden = Boolean(state.last);
      background.show(state.last);
      last.update(state.last);
      place.update(state);
      status.update(state);
    },
    leave() {
      clearInterval(tick);
      forget.forEach(run => run());
      background.stop();
    },
  };
}

function bigLink(name, label, href, kind, badge) {
  return h('a', { class: `big ${kind}`, href },
    h('span', { class: 'big-circle' }, icon(name), badge), h('span', { class: 'big-label' }, label));
}

// ---- The background

/** The last photo behind everything. A new one is faded in as soon as it is decoded. */
function backdrop(content) {
  const element = h('div', { class: 'backdrop', 'aria-hidden': 'true' });
  let shown = null, parallax = null, isOver = false;

  function put(layer, ratio) {
    const old = Array.from(element.children);
    element.append(layer);
    parallax?.stop();
    parallax = startParallax({ background: layer, content, ratio });
    layer.getBoundingClientRect();
    layer.classList.add('is-shown');
    setTimeout(() => old.forEach(one => one.remove()), FADE_MILLISECONDS);
  }

  async function show(photo) {
    const id = photo ? photo.id : null;
    if (id === shown) return;
    shown = id;
    if (!id) {
      parallax?.stop();
      parallax = null;
      return element.replaceChildren();
    }
    const address = photoAddress(id, 'image'), picture = new Image();
    picture.src = address;
    try { await picture.decode(); } catch { return undefined; }
    if (isOver || shown !== id) return undefined;
    const layer = h('div', { class: 'backdrop-layer' });
    layer.style.backgroundImage = `url("${address}")`;
    put(layer, picture.naturalWidth / picture.naturalHeight);
    return undefined;
  }

  return { element, show, stop() { isOver = true; parallax?.stop(); } };
}

// ---- The last photo

function lastPhoto() {
  const caption = h('span', { class: 'last-caption', dir: 'auto' }), date = h('span', { class: 'last-date', dir: 'auto' });
  const element = h('a', { class: 'last glass', hidden: true }, h('span', { class: 'last-text' }, caption, date), icon('next'));
  return {
    element,
    update(photo) {
      element.hidden = !photo;
      if (!photo) return;
      setText(caption, photo.caption || texts.home.lastPhoto);
      setText(date, texts.date(photo.sort));
      element.href = photoHash(photo.id);
      element.setAttribute('aria-label', texts.home.openLast(`${photo.caption || ''} ${texts.date(photo.sort)}`.trim()));
    },
  };
}

// ---- The location

function ageText(seconds) {
  if (seconds < 60) return texts.location.seconds(Math.round(seconds));
  return seconds < 3600 ? texts.location.minutes(Math.floor(seconds / 60)) : texts.location.hours(Math.floor(seconds / 3600));
}

/** What the label says: `{ kind, text, note, canRetry }`. */
function describeLocation(state) {
  const at = state.location, { location } = texts, status = locationStatus();
  if (at) {
    const age = at.ageSeconds + (Date.now() - store.receivedAt) / 1000;
    const isDenied = state.locationSource === 'browser' && status === 'denied';
    if (age <= FRESH_SECONDS && !isDenied) return { kind: 'fresh', text: at.label, note: at.accuracy ? location.accuracy(Math.round(at.accuracy)) : '' };
    if (!isDenied) return { kind: 'old', text: at.label, note: location.old(ageText(age)) };
  }
  if (state.locationSource === 'gpx') return { kind: 'wait', text: location.findingGPX };
  if (state.locationSource === 'gpsd') return { kind: 'wait', text: location.findingGPSD };
  if (status === 'denied') return { kind: 'none', text: location.denied, note: location.deniedHelp, canRetry: true };
  if (status === 'unavailable') return { kind: 'none', text: location.unavailable, note: location.unavailableHelp, canRetry: true };
  if (status === 'unsupported') return { kind: 'none', text: location.unsupported, note: location.unsupportedHelp };
  return { kind: 'wait', text: location.finding };
}

function locationLabel() {
  const icons = { fresh: icon('pin'), old: icon('clock'), wait: spinner(), none: icon('pinOff') };
  const mark = h('span', { class: 'place-mark' }), text = h('span', { class: 'place-text' }), note = h('span', { class: 'place-note' });
  const again = button(texts.tryAgain, () => findAgain(), { class: 'small secondary' });
  const element = h('section', { class: 'place glass', 'aria-label': texts.location.title }, mark, h('span', { class: 'place-lines' }, text, note), again);
  return {
    element,
    update(state) {
      const now = describeLocation(state);
      if (element.dataset.kind !== now.kind) mark.replaceChildren(icons[now.kind]);
      element.dataset.kind = now.kind;
      setText(text, now.text);
      setText(note, now.note || '');
      again.hidden = !now.canRetry;
    },
  };
}

// ---- The replication

function progressOf(text) {
  const parts = /(\d+)\/(\d+)$/.exec(text);
  return parts && Number(parts[2]) > 0 ? Number(parts[1]) / Number(parts[2]) : null;
}

function replicationStatus() {
  const mark = h('span', { class: 'status-mark' }), title = h('strong'), detail = h('span', { class: 'status-detail' }), why = h('p', { class: 'status-reason', dir: 'auto' });
  const bar = h('span', { class: 'bar', role: 'progressbar', 'aria-label': texts.home.progress, 'aria-valuemin': '0', 'aria-valuemax': '100' }, h('span'));
  const send = h('button', { type: 'button', class: 'small secondary', onclick: () => whileBusy(send, () => act('sync')).catch(error => toast(error.message, { isError: true })) },
    spinner(), h('span', null, texts.home.send));
  const element = h('section', { class: 'status' }, mark, h('p', { class: 'status-text' }, title, detail), send, why, bar);
  let kind = '';

  function update(state) {
    const { text, isRunning, reason } = state.replication, part = progressOf(text), isError = text === 'Replication Error';
    const newKind = isRunning ? 'cloudUp' : isError ? 'warning' : state.waiting ? 'cloud' : 'cloudCheck';
    if (kind !== newKind) mark.replaceChildren(icon(newKind));
    kind = newKind;
    element.classList.toggle('is-error', isError && !isRunning);
    element.classList.toggle('is-running', isRunning);
    element.classList.toggle('is-waiting', state.waiting > 0);
    setText(title, text || (state.waiting ? texts.home.ready : texts.home.allSent));
    const counts = state.waiting ? texts.home.waiting(state.waiting) : state.count ? texts.home.sent(state.count) : texts.home.none;
    setText(detail, counts);
    setText(why, isError && !isRunning && reason ? reason : '');
    bar.hidden = !isRunning;
    bar.classList.toggle('is-unknown', part === null);
    if (part === null) bar.removeAttribute('aria-valuenow');
    else bar.setAttribute('aria-valuenow', String(Math.round(part * 100)));
    setBar(bar, part ?? 0);
    send.hidden = isRunning || !state.waiting && !isError;
    setText(send.lastChild, isError ? texts.home.sendAgain : texts.home.send);
    // The numbers in between are not worth to be read aloud.
    if (text && part === null) announce(text);
  }
  return { element, update };
}

/** Photos that are being stored, or could not be. */
function uploadStatus() {
  const text = h('span'), element = h('p', { class: 'home-uploads', hidden: true }, icon('warning'), text, h('a', { class: 'small-link', href: '#/camera' }, texts.home.show));
  return {
    element,
    update() {
      const now = uploads();
      element.hidden = !now.active && !now.failed;
      element.classList.toggle('is-error', now.failed > 0);
      setText(text, now.failed ? texts.home.unsaved(now.failed) : texts.home.saving(now.active));
    },
  };
}
