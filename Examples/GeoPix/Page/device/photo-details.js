// The details of a photo: the caption, which the user can change, the date, and the place on a map.
import { act } from './api.js';
import { button, h, icon, iconButton, setText, spinner, toast } from './elements.js';
import { galleries } from './galleries.js';
import { placeMap } from './place-map.js';
import { texts } from './texts.js';

const CAPTION_MAX = 500;

const signed = number => `${number < 0 ? '-' : '+'}${Math.abs(number).toFixed(5)}`;

/** The label of a place, as on the main screen. */
export const placeLabel = photo => `Lat: ${signed(photo.latitude)}, Lon: ${signed(photo.longitude)}`;

export function photoDetails({ onClose, onRemove }) {
  const caption = captionEditor(), date = h('dd', { dir: 'auto' }), by = h('dd', { dir: 'auto' }), state = h('dd');
  const place = h('dd'), more = h('p', { class: 'note' }), mapHost = h('div', { class: 'map-host' });
  const byTitle = h('dt', null, texts.photo.by), stateTitle = h('dt', null, texts.photo.state);
  const remove = h('button', { type: 'button', class: 'secondary danger-text', onclick: onRemove }, icon('trash'), texts.photo.remove);
  const element = h('aside', { class: 'details', 'aria-label': texts.photo.details },
    h('header', { class: 'details-top' }, h('h2', null, texts.photo.details), iconButton('close', texts.close, onClose, { class: 'round plain' })),
    caption.element,
    h('dl', { class: 'facts' }, h('dt', null, texts.photo.date), date, byTitle, by, stateTitle, state, h('dt', null, texts.photo.place), place),
    mapHost, more, remove);
  let map = null, current = null;

  function update(photo, from) {
    current = photo;
    const hasPlace = Number.isFinite(photo.latitude) && Number.isFinite(photo.longitude), isOwn = from === 'device';
    caption.update(photo, isOwn);
    setText(date, texts.date(photo.sort));
    setText(by, photo.user || photo.id.split(':')[0]);
    byTitle.hidden = by.hidden = isOwn;
    setText(state, photo.isSent ? texts.photo.sent : texts.photo.notSent);
    stateTitle.hidden = state.hidden = !isOwn;
    setText(place, hasPlace ? placeLabel(photo) : texts.photo.noPlace);
    setText(more, [Number.isFinite(photo.altitude) && texts.photo.altitude(Math.round(photo.altitude)), Number.isFinite(photo.course) && texts.photo.course(Math.round(photo.course))]
      .filter(Boolean).join(' · '));
    mapHost.hidden = !hasPlace;
    remove.hidden = !isOwn;
    showMap();
  }

  /** The map is made when the details are open for the first time. */
  function showMap() {
    if (element.inert || mapHost.hidden || !current) return;
    map = map || placeMap(mapHost);
    const key = `${current.latitude},${current.longitude}`;
    if (mapHost.dataset.place === key) return;
    mapHost.dataset.place = key;
    map.show(current.latitude, current.longitude);
  }

  return {
    element, update, show: showMap,
    /** Forgets a changed caption: its photo was deleted. */
    forget: () => caption.forget(),
    stop() {
      caption.finish();
      map?.stop();
    },
  };
}

/** The field of the caption. A changed caption is saved with its button, with Enter, and when another photo is shown. */
function captionEditor() {
  const field = h('textarea', { rows: '2', dir: 'auto', maxlength: CAPTION_MAX, id: 'caption', placeholder: texts.photo.addCaption, oninput: showButtons, onkeydown: onKey });
  const save = h('button', { type: 'button', class: 'primary small', onclick: () => store() }, spinner(), h('span', null, texts.photo.save));
  const cancel = button(texts.cancel, reset, { class: 'secondary small' });
  const buttons = h('div', { class: 'caption-buttons', hidden: true }, cancel, save);
  const text = h('p', { class: 'caption-text', dir: 'auto' });
  const label = h('label', { for: 'caption' }, texts.photo.caption), title = h('p', { class: 'label' }, texts.photo.caption);
  const element = h('div', { class: 'caption-editor' }, label, title, field, text, buttons);
  let photo = null;

  const original = () => photo?.caption || '';
  const isChanged = () => photo !== null && !field.hidden && field.value.trim() !== original();

  function showButtons() { buttons.hidden = !isChanged(); }

  function reset() {
    field.value = original();
    showButtons();
    field.focus();
  }

  function onKey(event) {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (isChanged()) store();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (isChanged()) reset();
      else field.blur();
    }
  }

  async function store() {
    const { id } = photo, caption = field.value.trim();
    save.classList.add('is-busy');
    try {
      await act('caption', { id, caption });
      galleries.device.change(id, { caption: caption || null });
      toast(texts.photo.saved);
      if (document.activeElement === save || document.activeElement === document.body) field.focus();
    } catch (error) {
      toast(texts.photo.notSaved(error.message), { isError: true, action: { label: texts.tryAgain, run: () => retry(id, caption) } });
    }
    save.classList.remove('is-busy');
    showButtons();
  }

  async function retry(id, caption) {
    try {
      await act('caption', { id, caption });
      galleries.device.change(id, { caption: caption || null });
      toast(texts.photo.saved);
    } catch (error) {
      toast(texts.photo.notSaved(error.message), { isError: true, action: { label: texts.tryAgain, run: () => retry(id, caption) } });
    }
  }

  function finish() { if (isChanged() && !save.classList.contains('is-busy')) store(); }

  function update(now, isOwn) {
    const isOther = photo?.id !== now.id;
    if (isOther) finish();
    const wasChanged = !isOther && isChanged();
    photo = now;
    field.hidden = label.hidden = !isOwn;
    text.hidden = title.hidden = isOwn;
    setText(text, now.caption || texts.photo.noCaption);
    if (!wasChanged) field.value = original();
    showButtons();
  }

  return { element, update, finish, forget() { photo = null; } };
}
