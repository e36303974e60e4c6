// The gallery: the photos of this device or everybody's, newest first.
import { button, h, iconLink, isForField, setText, spinner, stateBox } from './elements.js';
import { galleries } from './galleries.js';
import { photoGrid } from './photo-grid.js';
import { texts } from './texts.js';

const SKELETONS = 18;

/** The photo that was shown last: its thumbnail gets the focus. */
let lastShown = null;
export function setLastShown(id) { lastShown = id; }

export function showGallery(host, parts) {
  const content = h('div', { class: 'gallery-host' });
  const choices = [['device', texts.gallery.device, '#/gallery'], ['server', texts.gallery.server, '#/gallery/server']]
    .map(([from, label, href]) => ({ from, element: h('a', { href }, label) }));
  const month = h('span', { class: 'gallery-month' });
  host.classList.add('gallery');
  host.append(
    h('header', { class: 'bar-top glass' },
      iconLink('back', texts.back, '#/'),
      h('div', { class: 'bar-title' }, h('h1', null, texts.gallery.title), month),
      iconLink('camera', texts.gallery.capture, '#/camera'),
      h('nav', { class: 'segments', 'aria-label': texts.gallery.choice }, choices.map(choice => choice.element))),
    content);

  let view = null;
  function open(from) {
    view?.stop();
    choices.forEach(choice => {
      if (choice.from === from) choice.element.setAttribute('aria-current', 'page');
      else choice.element.removeAttribute('aria-current');
    });
    view = galleryOf(content, galleries[from], text => setText(month, text));
  }
  const onKey = event => { if (event.key === 'Escape' && !isForField(event)) location.hash = '#/'; };
  document.addEventListener('keydown', onKey);
  open(parts[0] === 'server' ? 'server' : 'device');
  return {
    title: texts.gallery.title,
    route: newParts => open(newParts[0] === 'server' ? 'server' : 'device'),
    leave() {
      document.removeEventListener('keydown', onKey);
      view.stop();
    },
  };
}

const monthOf = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

/** The grid of a list, and its states. */
function galleryOf(host, list, showMonth) {
  const foot = h('div', { class: 'gallery-foot', role: 'status' });
  const scroller = h('div', { class: 'gallery-scroll' });
  const grid = photoGrid(scroller, list, () => { if (!list.error) list.more(); });
  scroller.append(grid.element, foot);
  host.replaceChildren(scroller);
  let isRestored = false, shownState = '';

  function update() {
    const isEmpty = !list.photos.length, state = !isEmpty ? 'photos' : list.error ? 'error' : list.isComplete ? 'empty' : 'loading';
    scroller.dataset.state = state;
    // A message that is there is not written again: it would be read again.
    if (state !== shownState || state === 'photos') footer(state);
    shownState = state;
    grid.element.hidden = isEmpty;
    if (isEmpty) return showMonth('');
    grid.draw();
    if (!isRestored) restore();
    return onScroll();
  }

  function footer(state) {
    if (state === 'loading') foot.replaceChildren(skeletons());
    else if (state === 'empty') foot.replaceChildren(emptyState(list.from));
    else if (state === 'error') foot.replaceChildren(stateBox('warning', texts.gallery.failed, list.error.message, button(texts.tryAgain, again, { class: 'primary' })));
    else if (list.error) foot.replaceChildren(h('p', { class: 'more-failed' }, `${texts.gallery.moreFailed} ${list.error.message}`, button(texts.tryAgain, again, { class: 'small secondary' })));
    else if (list.loading) foot.replaceChildren(h('p', { class: 'wait' }, spinner(), texts.loading));
    else foot.replaceChildren();
  }

  function again() { list.more(); }

  /** Goes back to where the user left the gallery. */
  function restore() {
    isRestored = true;
    scroller.scrollTop = list.scroll;
    const index = lastShown ? list.index(lastShown) : -1;
    lastShown = null;
    if (index >= 0) grid.focus(index);
    else grid.draw();
  }

  function onScroll() {
    if (isRestored) list.scroll = scroller.scrollTop;
    const photo = grid.firstVisible();
    showMonth(photo ? monthOf.format(photo.sort * 1000) : '');
  }

  scroller.addEventListener('scroll', onScroll, { passive: true });
  const forget = list.onChange(update);
  update();
  list.refresh();
  return {
    stop() {
      forget();
      grid.stop();
    },
  };
}

function skeletons() {
  return h('div', { class: 'skeletons' }, h('p', { class: 'hidden-text' }, texts.loading),
    Array.from({ length: SKELETONS }, () => h('span', { class: 'skeleton', 'aria-hidden': 'true' })));
}

function emptyState(from) {
  if (from === 'server') return stateBox('pictures', texts.gallery.emptyServerTitle, texts.gallery.emptyServer);
  return stateBox('pictures', texts.gallery.emptyTitle, texts.gallery.empty, h('a', { class: 'primary', href: '#/camera' }, texts.gallery.capture));
}
