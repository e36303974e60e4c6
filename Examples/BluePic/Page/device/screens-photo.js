// One photo, as large as the window.
import { ask } from './api.js';
import { button, h, iconLink, stateBox, toast } from './elements.js';
import { ageElement, photoText, picture, portrait } from './photo-card.js';
import { confirmRemoval } from './screens-feed.js';
import { store } from './state.js';
import { texts } from './texts.js';

export function showPhoto(host, [id]) {
  const stage = h('div', { class: 'large' }), about = h('div', { class: 'about' });
  host.classList.add('one-photo');
  host.append(h('header', { class: 'top' }, h('div', { class: 'column' },
    iconLink('back', texts.back, '#/', { 'data-first': true }), h('h1', { class: 'hidden-text' }, texts.photo.title))), stage, about);
  load(id, stage, about);
  document.addEventListener('keydown', onKey);
  return { title: texts.photo.title, leave: () => document.removeEventListener('keydown', onKey) };

  function onKey(event) { if (event.key === 'Escape' && !document.querySelector('dialog[open]')) location.hash = '#/'; }
}

async function load(id, stage, about) {
  let photo;
  try {
    photo = await ask('GET', `/photo?${new URLSearchParams({ id })}`);
  } catch (error) {
    stage.replaceChildren(stateBox('pictures', texts.photo.goneTitle, error.message));
    return;
  }
  stage.replaceChildren(picture(`/pictures/${encodeURIComponent(id)}`, photoText(photo), photo));
  const share = button(texts.photo.share, () => copy(`${store.state.server}/photo/${id}`), { class: 'secondary small' });
  const remove = button(texts.photo.remove, async () => {
    if (await confirmRemoval(id, texts.photo.removeTitle, texts.photo.removeText, texts.cancel)) history.back();
  }, { class: 'quiet small danger-text' });
  about.replaceChildren(
    h('div', { class: 'by' }, portrait(photo.owner, photo.name), h('bdi', { class: 'name' }, photo.name), ageElement(photo.time)),
    photo.caption ? h('p', { class: 'caption', dir: 'auto' }, photo.caption) : '',
    h('div', { class: 'queue-actions' }, share, photo.owner === store.state.user ? remove : ''));
}

async function copy(address) {
  try {
    await navigator.clipboard.writeText(address);
    toast(texts.photo.copied);
  } catch {
    toast(address);
  }
}
