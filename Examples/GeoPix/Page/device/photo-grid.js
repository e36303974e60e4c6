// A grid of thumbnails of which only those near the visible part are in the page.
import { h, icon } from './elements.js';
import { photoAddress, photoHash } from './photo-addresses.js';
import { texts } from './texts.js';

/** The maximum number of thumbnails in the page. */
const DOM_MAX = 300;
/** The rows above and below the visible ones that are in the page, if there is space for them. */
const SPARE_ROWS = 6;
const GAP = 3;
const COLUMNS_MIN = 3;
/** The least side of a thumbnail on wide screens, in pixels. */
const SIDE_MIN = 176;

/** `scroller` is what scrolls. `wantMore()` is called when the end of the list is near. */
export function photoGrid(scroller, list, wantMore) {
  const element = h('div', { class: 'grid', role: 'list', 'aria-label': texts.gallery.photos, onkeydown: onKey, onfocusin: onFocus });
  const tiles = new Map();
  let active = 0, columns = COLUMNS_MIN, side = 100, frame = 0;

  function measure() {
    const wide = element.clientWidth, high = scroller.clientHeight;
    columns = Math.max(COLUMNS_MIN, Math.floor(wide / SIDE_MIN));
    side = (wide - GAP * (columns - 1)) / columns;
    while (columns > COLUMNS_MIN && columns * (Math.ceil(high / (side + GAP)) + 1) > DOM_MAX) {
      columns -= 1;
      side = (wide - GAP * (columns - 1)) / columns;
    }
    element.style.height = `${Math.ceil(list.photos.length / columns) * (side + GAP)}px`;
  }

  /** The indexes of the thumbnails to have: first and after the last. */
  function range() {
    const top = Math.max(0, scroller.scrollTop - element.offsetTop), row = side + GAP;
    const first = Math.floor(top / row), visible = Math.ceil(scroller.clientHeight / row) + 1;
    const spare = Math.min(SPARE_ROWS, Math.max(0, Math.floor((DOM_MAX / columns - visible - 1) / 2)));
    return [Math.max(0, first - spare) * columns, Math.min(list.photos.length, (first + visible + spare) * columns)];
  }

  function draw() {
    frame = 0;
    if (!element.clientWidth) return;
    measure();
    active = Math.min(active, Math.max(0, list.photos.length - 1));
    const [first, end] = range(), wanted = new Map();
    for (let index = first; index < end; index++) wanted.set(list.photos[index].id, index);
    const focused = list.photos[active];
    // The thumbnail with the focus remains: the keyboard continues there.
    if (focused && tiles.get(focused.id)?.element === document.activeElement) wanted.set(focused.id, active);
    for (const [id, tile] of tiles) {
      if (wanted.has(id)) continue;
      tile.remove();
      tiles.delete(id);
    }
    for (const [id, index] of wanted) place(id, index);
    if (end >= list.photos.length - 3 * columns) wantMore();
  }

  function place(id, index) {
    const photo = list.photos[index];
    if (!tiles.has(id)) tiles.set(id, makeTile(photo, list.from));
    const tile = tiles.get(id), { style } = tile.item;
    tile.update(photo, index, list.photos.length, list.isComplete, index === active);
    style.width = style.height = `${side}px`;
    style.transform = `translate(${(index % columns) * (side + GAP)}px, ${Math.floor(index / columns) * (side + GAP)}px)`;
    if (!tile.item.isConnected) insert(tile.item, index);
  }

  /** Inserts a tile in the order of the photos: the order of the screen reader. */
  function insert(item, index) {
    item.dataset.index = index;
    const after = Array.from(element.children).find(other => Number(other.dataset.index) > index);
    element.insertBefore(item, after || null);
  }

  function onKey(event) {
    const page = Math.max(1, Math.floor(scroller.clientHeight / (side + GAP))) * columns, last = list.photos.length - 1;
    const steps = { ArrowRight: active + 1, ArrowLeft: active - 1, ArrowDown: active + columns, ArrowUp: active - columns, PageDown: active + page, PageUp: active - page, Home: 0, End: last };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    focus(Math.min(last, Math.max(0, steps[event.key])));
  }

  function onFocus(event) {
    const index = list.photos.findIndex(photo => tiles.get(photo.id)?.element === event.target);
    if (index >= 0) setActive(index);
  }

  function setActive(index) {
    const before = list.photos[active];
    active = index;
    [before, list.photos[active]].forEach(photo => photo && tiles.get(photo.id)?.element.setAttribute('tabindex', photo === list.photos[active] ? '0' : '-1'));
  }

  function focus(index) {
    setActive(index);
    const top = element.offsetTop + Math.floor(index / columns) * (side + GAP);
    if (top - element.offsetTop < scroller.scrollTop) scroller.scrollTop = top - element.offsetTop;
    else if (top + side > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + side - scroller.clientHeight + GAP;
    draw();
    tiles.get(list.photos[index]?.id)?.element.focus({ preventScroll: true });
  }

  const soon = () => { frame = frame || requestAnimationFrame(draw); };
  const observer = new ResizeObserver(soon);
  observer.observe(scroller);
  scroller.addEventListener('scroll', soon, { passive: true });
  return {
    element, draw, focus,
    /** The first photo that is visible. */
    firstVisible: () => list.photos[Math.max(0, Math.floor((scroller.scrollTop + side / 2) / (side + GAP))) * columns],
    stop() {
      cancelAnimationFrame(frame);
      observer.disconnect();
      scroller.removeEventListener('scroll', soon);
    },
  };
}

function makeTile(photo, from) {
  const image = h('img', { src: photoAddress(photo.id, 'thumbnail', from), alt: '', decoding: 'async', draggable: 'false' });
  const mark = h('span', { class: 'tile-mark', title: texts.gallery.notSent }, icon('cloudUp'));
  const element = h('a', { class: 'tile', href: photoHash(photo.id, from) }, image, mark);
  image.addEventListener('load', () => element.classList.add('is-loaded'));
  image.addEventListener('error', () => { element.classList.add('is-broken'); image.replaceWith(icon('pictures')); });
  const item = h('div', { class: 'tile-item', role: 'listitem' }, element);
  return {
    item, element,
    /** Removes the thumbnail, and ends its request if it is under way. */
    remove() {
      item.remove();
      image.removeAttribute('src');
    },
    update(now, index, count, isComplete, isActive) {
      const isUnsent = from === 'device' && !now.isSent;
      mark.hidden = !isUnsent;
      const name = now.caption || texts.gallery.photo(texts.date(now.sort));
      element.setAttribute('aria-label', isUnsent ? `${name}, ${texts.gallery.notSent}` : name);
      element.setAttribute('tabindex', isActive ? '0' : '-1');
      item.setAttribute('aria-posinset', String(index + 1));
      item.setAttribute('aria-setsize', String(isComplete ? count : -1));
      item.dataset.index = index;
    },
  };
}
