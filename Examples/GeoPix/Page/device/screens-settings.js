// The settings: the quality of stored photos, places from photos, and signing out.
import { act } from './api.js';
import { dialog, h, iconLink, isForField, setText, spinner, toast } from './elements.js';
import { galleries } from './galleries.js';
import { texts } from './texts.js';

const QUALITY_LEAST = 5;
const QUALITY_STEP = 5;
const SAVED_MILLISECONDS = 2500;

export function showSettings(host) {
  let state = null;
  const quality = qualitySetting(), places = placesSetting(), account = accountFacts();
  const leaveText = h('span', null, texts.settings.signOut);
  const leaveButton = h('button', { type: 'button', class: 'secondary danger-text wide', onclick: () => signOut() }, spinner(), leaveText);
  host.classList.add('settings');
  host.append(
    h('header', { class: 'bar-top glass' }, iconLink('back', texts.back, '#/'), h('div', { class: 'bar-title' }, h('h1', null, texts.settings.title))),
    h('div', { class: 'settings-scroll' }, h('div', { class: 'settings-body' },
      h('section', null, h('h2', null, texts.settings.pictures), h('div', { class: 'panel' }, quality.element, places.element)),
      h('section', null, h('h2', null, texts.settings.account), h('div', { class: 'panel' }, account.element), leaveButton, h('p', { class: 'note' }, texts.settings.signOutNote)))));
  const onKey = event => { if (event.key === 'Escape' && !isForField(event)) location.hash = '#/'; };
  document.addEventListener('keydown', onKey);

  async function signOut() {
    const { count, unsent } = state;
    const isSure = await dialog({
      title: texts.settings.signOutTitle, text: unsent ? texts.settings.signOutWaiting(count, unsent) : texts.settings.signOutText(count),
      buttons: [{ label: texts.cancel, value: false }, { label: unsent ? texts.settings.signOutLose(unsent) : texts.settings.signOut, value: true, kind: 'danger' }],
    });
    if (!isSure) return;
    leaveButton.classList.add('is-busy');
    setText(leaveText, texts.settings.signingOut);
    try {
      await act('signOut');
      galleries.device.reset();
      galleries.server.reset();
      location.hash = '#/';
    } catch (error) {
      toast(error.message, { isError: true });
    }
    leaveButton.classList.remove('is-busy');
    setText(leaveText, texts.settings.signOut);
  }

  return {
    title: texts.settings.title,
    update(newState) {
      state = newState;
      quality.update(state.settings);
      places.update(state.settings);
      account.update(state);
    },
    leave() { document.removeEventListener('keydown', onKey); },
  };
}

/** Saves a setting and says so in `mark`; after an error `revert` is called. */
function saver(mark, revert) {
  let run = 0;
  return async values => {
    const own = run += 1;
    mark.dataset.state = 'saving';
    setText(mark, texts.settings.saving);
    try {
      await act('settings', values);
      if (own !== run) return;
      mark.dataset.state = 'saved';
      setText(mark, texts.settings.saved);
      setTimeout(() => { if (own === run) setText(mark, ''); }, SAVED_MILLISECONDS);
    } catch (error) {
      if (own !== run) return;
      setText(mark, '');
      mark.dataset.state = '';
      revert();
      toast(texts.settings.notSaved(error.message), { isError: true });
    }
  };
}

function savedMark() { return h('span', { class: 'saved-mark', role: 'status' }); }

function qualitySetting() {
  const mark = savedMark(), value = h('output', { class: 'setting-value', for: 'quality' });
  const input = h('input', {
    id: 'quality', type: 'range', min: QUALITY_LEAST, max: 100, step: QUALITY_STEP, 'aria-describedby': 'quality-note', oninput: show,
    onchange: () => { isEditing = false; save({ quality: Number(input.value) / 100 }); },
  });
  let isEditing = false, stored = 0.8;
  const put = () => {
    input.value = String(Math.round(stored * 100));
    setText(value, texts.settings.percent(Math.round(stored * 100)));
  };
  const save = saver(mark, put);
  function show() {
    isEditing = true;
    setText(value, texts.settings.percent(input.value));
  }
  input.addEventListener('blur', () => { isEditing = false; });
  return {
    element: h('div', { class: 'setting' }, h('div', { class: 'setting-line' }, h('label', { for: 'quality' }, texts.settings.quality), mark, value), input,
      h('p', { class: 'note', id: 'quality-note' }, texts.settings.qualityNote)),
    update(settings) {
      stored = settings.quality;
      if (!isEditing && mark.dataset.state !== 'saving') put();
    },
  };
}

function placesSetting() {
  const mark = savedMark();
  const input = h('input', {
    id: 'places', type: 'checkbox', role: 'switch', class: 'switch', 'aria-describedby': 'places-note', onchange: () => save({ usesPhotoPlaces: input.checked }),
  });
  let stored = true;
  const save = saver(mark, () => { input.checked = stored; });
  return {
    element: h('div', { class: 'setting' }, h('label', { class: 'setting-line' }, h('span', { class: 'setting-name' }, texts.settings.places), mark, input),
      h('p', { class: 'note', id: 'places-note' }, texts.settings.placesNote)),
    update(settings) {
      stored = settings.usesPhotoPlaces;
      if (mark.dataset.state !== 'saving') input.checked = stored;
    },
  };
}

function accountFacts() {
  const values = ['user', 'server', 'stored', 'waiting', 'location'].map(name => [name, h('dd', { dir: 'auto' })]);
  return {
    element: h('dl', { class: 'facts' }, values.flatMap(([name, value]) => [h('dt', null, texts.settings[name]), value])),
    update(state) {
      const now = {
        user: state.user || '', server: state.server, stored: texts.photos(state.count), waiting: texts.photos(state.waiting),
        location: texts.settings.sources[state.locationSource] || state.locationSource,
      };
      values.forEach(([name, value]) => setText(value, now[name]));
    },
  };
}
