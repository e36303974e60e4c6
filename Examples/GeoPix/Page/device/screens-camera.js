// The screen that takes photos: the camera's preview with a shutter, picture files, and the list of what is being stored.
import { dialog, h, icon, iconButton, iconLink, isForField, spinner, stateBox, toast, button } from './elements.js';
import { startCamera } from './camera.js';
import { uploadList } from './upload-list.js';
import { texts } from './texts.js';
import { add } from './uploads.js';

const FLASH_MILLISECONDS = 260;
const CAPTION_MAX = 500;

/** Whether the alert about the missing camera was shown: once is enough. */
let wasAlerted = false;

export function showCamera(host) {
  const video = h('video', { class: 'camera-video', autoplay: true, playsinline: true, 'aria-label': texts.camera.preview });
  video.muted = true;
  const message = h('div', { class: 'camera-message' }), flash = h('div', { class: 'camera-flash', 'aria-hidden': 'true' });
  const caption = h('input', { class: 'camera-caption glass-dark', dir: 'auto', maxlength: CAPTION_MAX, 'aria-label': texts.camera.caption, placeholder: texts.camera.caption });
  const shutter = h('button', { type: 'button', class: 'shutter', 'aria-label': texts.camera.shutter, title: texts.camera.shutter, onclick: take }, h('span'));
  const turn = iconButton('turn', texts.camera.turn, () => camera.turn(), { class: 'round round-large glass-dark' });
  const files = filePicker(addFiles);
  const list = uploadList();
  const stage = h('div', { class: 'camera-stage' }, video, message, flash);
  host.classList.add('camera');
  host.append(
    h('header', { class: 'camera-top' }, iconLink('back', texts.back, '#/', { class: 'round glass-dark' }), h('h1', { class: 'hidden-text' }, texts.camera.title)),
    list.element, stage,
    h('div', { class: 'camera-bottom' }, caption, h('div', { class: 'camera-row' }, files.element, shutter, turn)));

  const camera = startCamera(video, showCameraState);
  const stopDrops = acceptDrops(host, addFiles);
  document.addEventListener('keydown', onKey);
  return {
    title: texts.camera.title,
    leave() {
      camera.stop();
      list.stop();
      stopDrops();
      document.removeEventListener('keydown', onKey);
    },
  };

  function showCameraState(state) {
    const isOn = state === 'on';
    host.classList.toggle('is-off', !isOn);
    shutter.disabled = !isOn;
    video.hidden = !isOn;
    caption.hidden = !isOn;
    turn.classList.toggle('is-absent', !isOn || !camera?.canTurn());
    message.replaceChildren(...stateParts(state, () => camera.start(), files.open));
    if (isOn) {
      video.classList.toggle('is-mirrored', camera.isFront());
      if (document.activeElement === host) shutter.focus({ preventScroll: true });
    }
    if (state === 'absent') alertNoCamera();
  }

  async function take() {
    if (shutter.classList.contains('is-busy')) return;
    shutter.classList.add('is-busy');
    flash.classList.add('is-on');
    setTimeout(() => flash.classList.remove('is-on'), FLASH_MILLISECONDS);
    try {
      const blob = await camera.picture();
      add(blob, { name: texts.uploads.camera, source: 'camera', caption: caption.value.trim() });
      caption.value = '';
    } catch (error) {
      toast(error.message, { isError: true });
    }
    shutter.classList.remove('is-busy');
  }

  function addFiles(chosen) {
    const text = caption.hidden ? '' : caption.value.trim();
    Array.from(chosen).forEach((file, index) => add(file, { name: file.name, source: 'file', caption: index === 0 ? text : '' }));
    if (chosen.length) caption.value = '';
  }

  function onKey(event) {
    if (event.key === 'Escape' && !isForField(event)) location.hash = '#/';
  }
}

async function alertNoCamera() {
  if (wasAlerted) return;
  wasAlerted = true;
  await dialog({ title: texts.camera.alertTitle, text: texts.camera.noCamera, isAlert: true, buttons: [{ label: texts.ok, value: true, kind: 'primary' }] });
}

/** What is shown in place of the preview. */
function stateParts(state, again, openFiles) {
  const { camera } = texts;
  if (state === 'starting') return [h('p', { class: 'wait' }, spinner(), camera.starting)];
  const [title, text] = {
    absent: [camera.noCamera, camera.noCameraNote], denied: [camera.denied, camera.deniedHelp], busy: [camera.busy, camera.busyHelp],
    ended: [camera.ended, camera.endedHelp],
  }[state] || [];
  if (!title) return [];
  return [stateBox('camera', title, text, button(texts.tryAgain, again, { class: 'secondary' }), button(camera.files, openFiles, { class: 'primary' }))];
}

/** A button that opens the browser's choice of files. */
function filePicker(choose) {
  const input = h('input', {
    type: 'file', accept: 'image/jpeg,image/png', multiple: true, class: 'hidden-text', tabindex: '-1', 'aria-hidden': 'true',
    onchange: () => {
      choose(input.files);
      input.value = '';
    },
  });
  const open = () => input.click();
  return {
    open,
    element: h('div', { class: 'picker' }, input,
      h('button', { type: 'button', class: 'round round-large glass-dark', 'aria-label': texts.camera.files, title: texts.camera.files, onclick: open }, icon('pictures')),
      h('span', { class: 'picker-label', 'aria-hidden': 'true' }, texts.camera.files)),
  };
}

/** Files that are dropped on the screen are added too. */
function acceptDrops(host, choose) {
  const hint = h('p', { class: 'drop-hint', 'aria-hidden': 'true' }, texts.camera.drop);
  const hasFiles = event => Array.from(event.dataTransfer?.types || []).includes('Files');
  host.append(hint);
  const over = event => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    host.classList.add('is-dropping');
  };
  const leave = event => { if (!host.contains(event.relatedTarget)) host.classList.remove('is-dropping'); };
  const drop = event => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    host.classList.remove('is-dropping');
    choose(event.dataTransfer.files);
  };
  const pairs = [['dragover', over], ['dragleave', leave], ['drop', drop]];
  pairs.forEach(([name, run]) => host.addEventListener(name, run));
  return () => pairs.forEach(([name, run]) => host.removeEventListener(name, run));
}
