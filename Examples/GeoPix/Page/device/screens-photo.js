// One photo: the picture on the full screen, and its details with the caption, the date and the place.
import { act } from './api.js';
import { announce, dialog, h, iconButton, iconLink, isForField, setText, spinner, stateBox, toast } from './elements.js';
import { galleries } from './galleries.js';
import { photoAddress, photoHash } from './photo-addresses.js';
import { photoDetails } from './photo-details.js';
import { setLastShown } from './screens-gallery.js';
import { watchSwipes } from './swipes.js';
import { texts } from './texts.js';

/** The width from which the details are next to the picture at first. */
const WIDE = '(min-width: 900px)';
/** The number of photos before the end of the list at which more are read. */
const READ_AHEAD = 6;

export function showPhoto(host, parts) {
  let from, list, id, forget = () => {}, shownId = null;
  const picture = h('div', { class: 'photo-picture' }), glow = h('div', { class: 'photo-glow', 'aria-hidden': 'true' });
  const back = iconLink('back', texts.photo.back, '#/gallery', { class: 'round glass-dark' });
  const info = iconButton('info', texts.photo.details, () => toggleDetails(), { class: 'round glass-dark' });
  const remove = iconButton('trash', texts.photo.remove, askToRemove, { class: 'round glass-dark' });
  const previous = iconButton('back', texts.photo.previous, () => step(-1), { class: 'round glass-dark photo-step is-previous' });
  const next = iconButton('next', texts.photo.next, () => step(1), { class: 'round glass-dark photo-step is-next' });
  const caption = h('p', { class: 'photo-caption', dir: 'auto' }), date = h('p', { class: 'photo-date', dir: 'auto' });
  const line = h('div', { class: 'photo-line glass-dark' }, caption, date);
  const details = photoDetails({ onClose: () => toggleDetails(false), onRemove: askToRemove });
  const stage = h('div', { class: 'photo-stage' }, glow, picture, h('header', { class: 'photo-top' }, back, h('h1', { class: 'hidden-text' }, texts.photo.title), info, remove), previous, next, line);
  host.classList.add('photo');
  host.append(stage, details.element);
  toggleDetails(matchMedia(WIDE).matches);
  const stopSwipes = watchSwipes(stage, step);
  document.addEventListener('keydown', onKey);
  open(parts);

  return {
    title: texts.photo.title,
    route: open,
    leave() {
      forget();
      stopSwipes();
      document.removeEventListener('keydown', onKey);
      details.stop();
      setLastShown(id);
    },
  };

  function open([newFrom, newId]) {
    forget();
    from = newFrom === 'server' ? 'server' : 'device';
    list = galleries[from];
    id = newId || '';
    back.href = from === 'server' ? '#/gallery/server' : '#/gallery';
    remove.hidden = from === 'server';
    forget = list.onChange(update);
    if (list.index(id) >= 0) return update();
    picture.replaceChildren(h('p', { class: 'wait' }, spinner(), texts.loading));
    return find(id);
  }

  /** Reads the list until the photo is there. */
  async function find(wanted) {
    try {
      if (await list.find(wanted) || wanted !== id) return;
      showMessage(stateBox('pictures', texts.photo.missingTitle, texts.photo.missing, h('a', { class: 'primary', href: back.href }, texts.photo.back)));
    } catch (error) {
      if (wanted === id) showMessage(stateBox('warning', texts.gallery.failed, error.message, h('button', { type: 'button', class: 'primary', onclick: () => find(id) }, texts.tryAgain)));
    }
  }

  function showMessage(box) {
    picture.replaceChildren(box);
    host.classList.add('is-message');
  }

  function update() {
    const index = list.index(id), photo = list.photos[index];
    if (!photo) {
      // A photo that was deleted elsewhere.
      if (shownId === id) showMessage(stateBox('pictures', texts.photo.missingTitle, texts.photo.missing, h('a', { class: 'primary', href: back.href }, texts.photo.back)));
      return;
    }
    host.classList.remove('is-message');
    if (shownId !== id) showPicture(photo, index);
    previous.disabled = index === 0;
    next.disabled = index === list.photos.length - 1 && list.isComplete;
    setText(caption, photo.caption || '');
    setText(date, texts.date(photo.sort));
    caption.hidden = !photo.caption;
    details.update(photo, from);
    if (index >= list.photos.length - READ_AHEAD && !list.error) list.more();
  }

  function showPicture(photo, index) {
    shownId = id;
    const text = photo.caption || texts.gallery.photo(texts.date(photo.sort));
    const image = h('img', { src: photoAddress(id, 'image', from), alt: text, draggable: 'false' });
    if (photo.width && photo.height) Object.assign(image, { width: photo.width, height: photo.height });
    image.classList.add('is-loading');
    image.style.backgroundImage = `url("${photoAddress(id, 'thumbnail', from)}")`;
    image.addEventListener('load', () => {
      image.classList.remove('is-loading');
      image.style.backgroundImage = '';
    });
    image.addEventListener('error', () => image.replaceWith(stateBox('pictures', texts.photo.broken, '')));
    picture.replaceChildren(image);
    glow.style.backgroundImage = `url("${photoAddress(id, 'thumbnail', from)}")`;
    announce(`${texts.photo.position(index + 1, list.photos.length)}: ${text}`);
  }

  function step(by) {
    const index = list.index(id), to = list.photos[index + by], wanted = id;
    if (index < 0) return;
    if (to) location.replace(photoHash(to.id, from));
    // The next page is not there yet.
    else if (by > 0 && !list.isComplete) list.more().then(() => { if (wanted === id && list.photos[index + by]) step(by); });
  }

  function toggleDetails(isOpen = !host.classList.contains('has-details')) {
    const hadFocus = details.element.contains(document.activeElement);
    host.classList.toggle('has-details', isOpen);
    info.setAttribute('aria-expanded', String(isOpen));
    details.element.inert = !isOpen;
    if (!isOpen && hadFocus) info.focus();
    if (isOpen) details.show();
  }

  function onKey(event) {
    if (isForField(event) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') {
      if (host.classList.contains('has-details') && !matchMedia(WIDE).matches) toggleDetails(false);
      else location.hash = back.getAttribute('href');
    } else if (event.target.closest?.('.map')) return;
    else if (event.key === 'ArrowLeft') step(-1);
    else if (event.key === 'ArrowRight') step(1);
    else if (event.key === 'Delete' && from === 'device') askToRemove();
  }

  async function askToRemove() {
    const wanted = id, photo = list.photos[list.index(id)];
    if (!photo) return;
    const isSure = await dialog({
      title: texts.photo.removeTitle, text: photo.isOnServer ? texts.photo.removeText : texts.photo.removeUnsent,
      buttons: [{ label: texts.cancel, value: false }, { label: texts.photo.removeYes, value: true, kind: 'danger' }],
    });
    if (!isSure) return;
    remove.classList.add('is-busy');
    try {
      await act('delete', { id: wanted });
      leaveRemoved(wanted);
      toast(texts.photo.removed);
    } catch (error) {
      toast(error.message, { isError: true });
    }
    remove.classList.remove('is-busy');
  }

  /** Continues with the older photo, the newer one, or the gallery. */
  function leaveRemoved(removed) {
    const index = list.index(removed), to = list.photos[index + 1] || list.photos[index - 1];
    if (id === removed) {
      shownId = null;
      if (to) location.replace(photoHash(to.id, from));
      else location.hash = back.getAttribute('href');
    }
    details.forget();
    list.remove(removed);
  }
}
