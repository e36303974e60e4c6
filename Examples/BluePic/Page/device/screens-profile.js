// The profile of the user: picture, name, number of photos, and the photos.
import { act } from './api.js';
import { button, dialog, h, icon, setText, stateBox, toast, whileBusy } from './elements.js';
import { picture, photoText, portrait } from './photo-card.js';
import { confirmRemoval, photoList } from './screens-feed.js';
import { frame, guestBox } from './tabs.js';
import { texts } from './texts.js';

const NAME_MAX = 100;

export function showProfile(host, parts, first) {
  const column = frame(host, 'profile', texts.profile.title);
  if (!first.user) {
    column.append(guestBox(texts.guest.profile));
    return { title: texts.profile.title };
  }
  let state = first, shown = null;
  const face = h('div', { class: 'face' }), name = h('h2', { class: 'full-name', dir: 'auto' }), count = h('p', { class: 'note' });
  const rename = button(texts.profile.rename, () => editName(state.profile.name || state.user), { class: 'secondary small' });
  const leave = button(texts.profile.signOut, () => signOut(state, leave), { class: 'quiet small' });
  const list = photoList({ user: first.user, kind: 'tiles', makeItem: photo => tile(photo), empty: () => stateBox('pictures', texts.profile.emptyTitle, texts.profile.empty) });
  column.append(h('div', { class: 'profile' }, face, h('div', null, name, count, h('div', { class: 'queue-actions' }, rename, leave))), list.element);

  return {
    title: texts.profile.title,
    update(newState) {
      state = newState;
      if (!state.user) return;
      setText(name, state.profile.name || state.user);
      setText(count, texts.photos(state.profile.count));
      const key = `${state.user} ${state.profile.name} ${state.profile.picture}`;
      if (key !== shown) {
        shown = key;
        face.replaceChildren(portrait(state.user, state.profile.name || state.user, state.profile.picture || 'none'));
      }
      list.update(state);
    },
    leave: () => list.stop(),
  };
}

/** An own photo, with its menu. */
function tile(photo) {
  const menu = h('button', { type: 'button', class: 'round glass-dark', 'aria-label': texts.profile.menu(photoText(photo)), onclick: () => choose(photo) }, icon('settings'));
  return h('li', { 'data-id': photo.id },
    h('a', { class: 'picture', href: `#/photo/${photo.id}` }, picture(`/pictures/${photo.id}/thumbnail`, photoText(photo), photo)), menu);
}

async function choose(photo) {
  const action = await dialog({
    title: photoText(photo), text: texts.profile.menuText,
    buttons: [{ label: texts.profile.usePicture, value: 'picture', kind: 'primary' }, { label: texts.photo.remove, value: 'remove', kind: 'danger' }, { label: texts.cancel, value: null }],
  });
  if (action === 'remove') await confirmRemoval(photo.id, texts.photo.removeTitle, texts.photo.removeText, texts.cancel);
  if (action === 'picture') await act('setPicture', { id: photo.id }).then(() => toast(texts.profile.pictureSet), tell);
}

function editName(current) {
  const input = h('input', { id: 'full-name', value: current, maxlength: NAME_MAX, dir: 'auto', autocomplete: 'name' });
  const save = h('button', { type: 'submit', class: 'primary' }, texts.profile.save);
  const element = h('dialog', { class: 'dialog', 'aria-labelledby': 'name-label', onclose: () => element.remove() },
    h('form', { class: 'dialog-body', onsubmit: submit }, h('div', { class: 'field' }, h('label', { for: 'full-name', id: 'name-label' }, texts.profile.name), input),
      h('div', { class: 'dialog-buttons' }, button(texts.cancel, () => element.close(), { class: 'secondary' }), save)));
  document.body.append(element);
  element.showModal();
  input.select();

  async function submit(event) {
    event.preventDefault();
    if (!input.value.trim()) return input.focus();
    await whileBusy(save, () => act('rename', { name: input.value.trim() }).then(() => element.close(), tell));
    return undefined;
  }
}

async function signOut(state, element) {
  const waiting = state.posts.filter(post => post.stage === 'posted').length;
  const isMeant = await dialog({ title: texts.profile.signOutTitle, text: texts.profile.signOutText(waiting), isAlert: true,
    buttons: [{ label: texts.cancel, value: false }, { label: texts.profile.signOut, value: true, kind: 'danger' }] });
  if (isMeant) await whileBusy(element, () => act('signOut').catch(tell));
}

function tell(error) { toast(error.message, { isError: true }); }
