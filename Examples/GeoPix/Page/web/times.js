// The time slider: two handles over a histogram of the photos' times.
import { byId, dateOf, h, setText, svg } from './elements.js';
import { texts } from './texts.js';

const BARS = 48;
/** The steps of a handle by the arrow keys and by Page Up and Page Down, as parts of the whole time. */
const STEP = 1 / 100, PAGE = 1 / 10;

let first = 0, last = 0;             // the times of the oldest and the newest photo, in seconds
let from = null, to = null;          // the chosen times; `null` at the ends, also of later photos
let changed = () => {};
let grabbed = null;                  // what the pointer moves: `{ handle }`, or the whole selection: `{ at, from, to }`

const title = h('h2', { id: 'times-title' }, texts.times.title);
const label = h('p', { class: 'times-label', 'aria-live': 'off' });
const reset = h('button', { type: 'button', class: 'small', onclick: resetTimes }, texts.times.reset);
const bars = svg('svg', { class: 'times-bars', viewBox: `0 0 ${BARS} 100`, preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
const chosen = h('div', { class: 'times-chosen' });
const handles = { from: handle('from'), to: handle('to') };
const track = h('div', { class: 'times-track' }, bars, h('div', { class: 'times-line' }), chosen, handles.from, handles.to);

byId('times').setAttribute('aria-labelledby', 'times-title');
byId('times').append(h('div', { class: 'times-head' }, title, label, reset), track);

function handle(name) {
  return h('div', {
    class: `times-handle times-${name}`, role: 'slider', tabindex: '0', 'aria-label': texts.times[name], 'aria-valuemin': '0', 'aria-valuemax': '100',
    onkeydown: event => onKey(name, event), onfocus: () => raise(name),
  });
}

// MARK: The chosen time

/** Calls a function with `isDragging` when the chosen time changes. */
export function onTimes(handler) { changed = handler; }

export function isLimited() { return from !== null || to !== null; }

export function isInTime(photo) { return (from === null || photo.sort >= from) && (to === null || photo.sort <= to); }

export function resetTimes() {
  from = to = null;
  draw();
  changed(false);
  // The button is out of use now.
  if (document.activeElement === reset) handles.from.focus();
}

const part = time => last > first ? (time - first) / (last - first) : 0;
const fromPart = () => from === null ? 0 : Math.min(1, Math.max(0, part(from)));
const toPart = () => to === null ? 1 : Math.min(1, Math.max(0, part(to)));

/** Moves a handle to a part of the whole time, at most to the other one. */
function move(name, place) {
  if (name === 'from') {
    const at = Math.min(Math.max(0, place), toPart());
    from = at <= 0 ? null : first + at * (last - first);
  } else {
    const at = Math.max(Math.min(1, place), fromPart());
    to = at >= 1 ? null : first + at * (last - first);
  }
}

// MARK: Drawing

/** Sets the photos, the newest first. */
export function setTimes(photos) {
  [first, last] = photos.length ? [photos[photos.length - 1].sort, photos[0].sort] : [0, 0];
  byId('times').hidden = last <= first;
  const counts = new Array(BARS).fill(0);
  for (const photo of photos) counts[Math.min(BARS - 1, Math.floor(part(photo.sort) * BARS))] += 1;
  const most = Math.max(1, ...counts);
  bars.replaceChildren(...counts.flatMap((count, index) => {
    if (!count) return [];
    // By the square root: a single photo is visible among many.
    const height = Math.max(7, Math.sqrt(count / most) * 100), bar = svg('rect', { x: index + 0.1, y: 100 - height, width: 0.8, height });
    bar.dataset.middle = (index + 0.5) / BARS;
    return [bar];
  }));
  draw();
}

function draw() {
  const [left, right] = [fromPart(), toPart()], period = last - first;
  const [start, end] = [dateOf(from ?? first, period), dateOf(to ?? last, period)];
  for (const bar of bars.children) {
    // A bar that is only partly in the chosen time has photos of which some are not shown.
    const middle = Number(bar.dataset.middle);
    bar.classList.toggle('in', middle >= left && middle <= right);
  }
  chosen.style.left = `${left * 100}%`;
  chosen.style.width = `${(right - left) * 100}%`;
  set(handles.from, left, start);
  set(handles.to, right, end);
  setText(label, texts.times.span(start, end));
  reset.disabled = !isLimited();
}

function set(element, place, text) {
  element.style.left = `${place * 100}%`;
  element.setAttribute('aria-valuenow', String(Math.round(place * 100)));
  element.setAttribute('aria-valuetext', text);
}

/** Puts a handle above the other one, where both are at the same place. */
function raise(name) {
  handles.from.classList.toggle('raised', name === 'from');
  handles.to.classList.toggle('raised', name === 'to');
}

// MARK: Keyboard and pointer

function onKey(name, event) {
  const place = name === 'from' ? fromPart() : toPart();
  const steps = {
    ArrowRight: place + STEP, ArrowUp: place + STEP, ArrowLeft: place - STEP, ArrowDown: place - STEP,
    PageUp: place + PAGE, PageDown: place - PAGE, Home: 0, End: 1,
  };
  if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  move(name, steps[event.key]);
  draw();
  changed(true);
}

track.addEventListener('pointerdown', event => {
  if (event.button > 0) return;
  const place = placeAt(event), [left, right] = [fromPart(), toPart()];
  const touched = event.target.closest('.times-handle');
  event.preventDefault();
  track.setPointerCapture(event.pointerId);
  if (!touched && isLimited() && place > left && place < right) {
    grabbed = { at: place, from: left, to: right };
    return track.classList.add('moving');
  }
  // Where both handles are, the one that can move is grabbed.
  const both = right - left < 0.01;
  let name = touched ? (touched === handles.from ? 'from' : 'to') : Math.abs(place - left) < Math.abs(place - right) ? 'from' : 'to';
  if (both) name = place < left || left > 0.99 ? 'from' : place > right || right < 0.01 ? 'to' : name;
  grabbed = { name, offset: touched ? place - (name === 'from' ? left : right) : 0 };
  raise(name);
  handles[name].focus({ preventScroll: true });
  track.classList.add('moving');
  if (!touched) drag(place);
});

track.addEventListener('pointermove', event => { if (grabbed) drag(placeAt(event)); });
for (const name of ['pointerup', 'pointercancel']) {
  track.addEventListener(name, () => {
    if (!grabbed) return;
    grabbed = null;
    track.classList.remove('moving');
    changed(false);
  });
}

function placeAt(event) {
  const box = track.getBoundingClientRect();
  return (event.clientX - box.left) / box.width;
}

function drag(place) {
  if (grabbed.name) {
    move(grabbed.name, place - grabbed.offset);
  } else {
    const way = Math.min(Math.max(place - grabbed.at, -grabbed.from), 1 - grabbed.to);
    from = to = null;
    move('to', grabbed.to + way);
    move('from', grabbed.from + way);
  }
  draw();
  changed(true);
}
