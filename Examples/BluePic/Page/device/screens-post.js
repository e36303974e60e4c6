// A new post: a picture of the camera or a file, whose upload begins at once, and its caption.
import { act, storePhoto } from './api.js';
import { button, h, icon, iconButton, setBar, setText, spinner, stateBox, toast, whileBusy } from './elements.js';
import { startCamera } from './camera.js';
import { picture } from './photo-card.js';
import { store } from './state.js';
import { frame, guestBox } from './tabs.js';
import { texts } from './texts.js';

const CAPTION_MAX = 1000;
const MEGABYTES_MAX = 32;
const FLASH_MILLISECONDS = 260;

export function showPost(host, parts, state) {
  const column = frame(host, 'post', texts.post.title);
  if (!state.user) {
    column.append(guestBox(texts.guest.post));
    return { title: texts.post.title };
  }
  let stop = () => {}, shown = '';

  /** Shows the draft, if there is one, or the ways to choose a picture. */
  function update(newState) {
    const draft = newState.posts.find(post => post.stage === 'draft');
    const key = draft ? draft.id : 'choose';
    if (key !== shown) {
      stop();
      shown = key;
      const part = draft ? editor(draft) : chooser();
      column.replaceChildren(part.element);
      stop = part.stop || (() => {});
      column.querySelector('[data-first]')?.focus({ preventScroll: true });
    }
    column.firstChild.update?.(draft);
  }

  return { title: texts.post.title, update, leave: () => stop() };
}

// ---- Choosing a picture

function chooser() {
  const video = h('video', { class: 'preview', autoplay: true, playsinline: true, 'aria-label': texts.post.preview });
  video.muted = true;
  const message = h('div', { class: 'camera-message' }), flash = h('div', { class: 'flash', 'aria-hidden': 'true' });
  const bar = h('span', { class: 'bar', hidden: true, role: 'progressbar', 'aria-label': texts.post.storing }, h('span'));
  const input = h('input', { type: 'file', accept: 'image/jpeg,image/png', class: 'hidden-text', tabindex: '-1', 'aria-hidden': 'true', onchange: () => {
    const [file] = input.files;
    input.value = '';
    if (file) send(file, 'file');
  } });
  const shutter = h('button', { type: 'button', class: 'shutter', 'aria-label': texts.post.shutter, title: texts.post.shutter, onclick: take }, h('span'));
  const files = h('button', { type: 'button', class: 'secondary', 'data-first': true, onclick: () => input.click() }, spinner(), icon('file'), h('span', null, texts.post.file));
  const turn = iconButton('turn', texts.post.turn, () => camera.turn());
  const element = h('div', { class: 'chooser' }, h('div', { class: 'viewfinder' }, video, message, flash), bar,
    h('div', { class: 'camera-row' }, files, shutter, turn), input, h('p', { class: 'note' }, texts.post.note));
  const camera = startCamera(video, showState);

  function showState(state) {
    const isOn = state === 'on';
    video.hidden = !isOn;
    shutter.disabled = !isOn;
    turn.hidden = !isOn || !camera?.canTurn();
    message.replaceChildren(...(isOn ? [] : [stateParts(state, () => camera.start())]));
    if (isOn) video.classList.toggle('is-mirrored', camera.isFront());
  }

  async function take() {
    flash.classList.add('is-on');
    setTimeout(() => flash.classList.remove('is-on'), FLASH_MILLISECONDS);
    await whileBusy(shutter, async () => {
      try {
        await send(await camera.picture(), 'camera');
      } catch (error) {
        toast(error.message, { isError: true });
      }
    });
  }

  function send(blob, source) {
    if (blob.size > MEGABYTES_MAX * 1_048_576) return toast(texts.post.tooLarge(MEGABYTES_MAX), { isError: true });
    bar.hidden = false;
    setBar(bar, 0);
    return whileBusy(files, async () => {
      try {
        await storePhoto(blob, { source, token: crypto.randomUUID() }, part => {
          setBar(bar, part);
          // The device makes a smaller picture of the received file.
          bar.classList.toggle('is-unknown', part === 1);
        });
      } catch (error) {
        toast(error.message, { isError: true });
      }
      bar.hidden = true;
      bar.classList.remove('is-unknown');
    });
  }

  return { element, stop: () => camera.stop() };
}

function stateParts(state, again) {
  if (state === 'starting') return h('p', { class: 'wait' }, spinner(), texts.post.starting);
  const [title, text] = { absent: [texts.post.noCamera, texts.post.noCameraNote], denied: [texts.post.denied, texts.post.deniedHelp] }[state]
    || [texts.post.noPicture, texts.post.noPictureHelp];
  return stateBox('camera', title, text, state !== 'absent' && button(texts.tryAgain, again, { class: 'secondary' }));
}

// ---- The draft

function editor(draft) {
  const caption = h('textarea', { id: 'caption', maxlength: CAPTION_MAX, rows: 3, dir: 'auto', placeholder: texts.post.captionHint, 'data-first': true });
  const status = h('p', { class: 'note', role: 'status' });
  const post = h('button', { type: 'submit', class: 'primary wide' }, spinner(), h('span', null, texts.post.post));
  const discard = button(texts.post.discard, () => whileBusy(discard, () => act('remove', { id: draft.id }).catch(tell)), { class: 'quiet wide' });
  const element = h('form', { class: 'editor', onsubmit: submit },
    h('div', { class: 'picture' }, picture(`/pictures/${draft.id}`, texts.post.chosen, draft)), status,
    h('div', { class: 'field' }, h('label', { for: 'caption' }, texts.post.caption), caption), post, discard);

  element.update = current => {
    if (!current) return;
    const text = current.refusal ? texts.queue.refused(current.refusal) : current.isUploaded ? texts.post.uploaded : store.state.trouble ? texts.post.later : texts.post.uploading;
    setText(status, text);
  };

  async function submit(event) {
    event.preventDefault();
    await whileBusy(post, async () => {
      try {
        await act('post', { id: draft.id, caption: caption.value.trim() });
        location.hash = '#/';
      } catch (error) {
        tell(error);
      }
    });
  }

  return { element };
}

function tell(error) { toast(error.message, { isError: true }); }
