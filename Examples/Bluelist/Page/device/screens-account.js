// The account of the device's user, and how the list is stored.
import { act } from './api.js';
import { button, dialog, h, iconLink, setText, toast, whileBusy } from './elements.js';
import { texts } from './texts.js';

export function showAccount(host, parts, first) {
  let state = first;
  const who = h('p', { class: 'row-text', dir: 'auto' }), sync = h('p', { class: 'note', role: 'status' }), protection = h('p', { class: 'row-text' });
  const signIn = button(texts.account.signIn, () => whileBusy(signIn, () => act('welcome').catch(tell)), { class: 'primary small', 'data-first': true });
  const signOut = button(texts.account.signOut, () => confirm('signOut', signOut, texts.account.signOutText(state.isSent)), { class: 'secondary small' });
  const remove = button(texts.account.remove, () => confirm('removeList', remove, texts.account.removeText), { class: 'quiet small danger-text' });
  host.classList.add('framed');
  host.append(
    h('header', { class: 'top' }, h('div', { class: 'column' }, iconLink('back', texts.back, '#/'), h('h1', null, texts.account.title))),
    h('div', { class: 'content', tabindex: '-1' }, h('div', { class: 'column' },
      h('section', { class: 'panel' }, h('h2', null, texts.account.user), who, sync, h('div', { class: 'panel-actions' }, signIn, signOut)),
      h('section', { class: 'panel' }, h('h2', null, texts.account.storage), protection, h('div', { class: 'panel-actions' }, remove)))));

  async function confirm(action, element, text) {
    const label = element.textContent;
    const isMeant = await dialog({ title: `${label}?`, text, isAlert: true, buttons: [{ label: texts.cancel, value: false }, { label, value: true, kind: 'danger' }] });
    if (!isMeant) return;
    await whileBusy(element, () => act(action).then(() => { location.hash = '#/'; }, tell));
  }

  return {
    title: texts.account.title,
    update(newState) {
      state = newState;
      setText(who, state.user ? texts.account.signedIn(state.user, state.server) : texts.account.signedOut);
      setText(sync, !state.user ? '' : state.isReplicating ? texts.account.replicating : state.trouble ? state.trouble : state.isSent ? texts.account.sent : texts.account.waiting);
      setText(protection, state.isEncrypted ? texts.account.encrypted : texts.account.plain);
      signIn.hidden = Boolean(state.user);
      signOut.hidden = !state.user;
      remove.hidden = Boolean(state.user);
    },
  };
}

function tell(error) { toast(error.message, { isError: true }); }
