// Elements, icons, dialogs and short messages: the parts of which each screen is made.
import { texts } from './texts.js';

const TOAST_MILLISECONDS = 4000;
const TOAST_ERROR_MILLISECONDS = 9000;
const TOASTS_MAX = 3;
const SVG = 'http://www.w3.org/2000/svg';

/** The lines of the icons, in a square of 24. */
const ICONS = {
  camera: 'M4 8h3l1.6-2.5h6.8L17 8h3a1.5 1.5 0 0 1 1.5 1.5v8A1.5 1.5 0 0 1 20 19H4a1.5 1.5 0 0 1-1.5-1.5v-8A1.5 1.5 0 0 1 4 8Zm8 8.4a3.4 3.4 0 1 0 0-6.8 3.4 3.4 0 0 0 0 6.8Z',
  pictures: 'M5 4.5h14A1.5 1.5 0 0 1 20.5 6v12a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 18V6A1.5 1.5 0 0 1 5 4.5ZM4 17l5-5.5 4 4.3 2.6-2.8L20 17.4M15.6 9.6a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4Z',
  settings: 'M4 7h9m5 0h2M4 17h3m5 0h8M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm-6 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  pin: 'M12 21s6.5-6.6 6.5-11.4a6.5 6.5 0 1 0-13 0C5.5 14.4 12 21 12 21Zm0-9.2a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z',
  pinOff: 'M8 4.6a6.5 6.5 0 0 1 10.5 5c0 1.5-.6 3.1-1.5 4.7m-2 2.9C13.5 19.5 12 21 12 21s-6.5-6.6-6.5-11.4c0-.5.1-1 .2-1.5M4 3.5l16 17',
  back: 'm14.5 5-7 7 7 7',
  next: 'm9.5 5 7 7-7 7',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cloud: 'M7 18.5a4.2 4.2 0 0 1-.6-8.4 5.6 5.6 0 0 1 10.9-.9A4.7 4.7 0 0 1 17 18.5Z',
  cloudCheck: 'M7 18.5a4.2 4.2 0 0 1-.6-8.4 5.6 5.6 0 0 1 10.9-.9A4.7 4.7 0 0 1 17 18.5ZM9 13.4l2.2 2.2 4-4.2',
  cloudUp: 'M7.5 18.5H7a4.2 4.2 0 0 1-.6-8.4 5.6 5.6 0 0 1 10.9-.9A4.7 4.7 0 0 1 17 18.5h-.5M12 20v-7.5m-2.8 2.7L12 12.4l2.8 2.8',
  warning: 'M12 4 2.8 19.5h18.4ZM12 10v4.5m0 2.4v.1',
  info: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 11v5.5m0-9v.1',
  trash: 'M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 10.5v5.5m4-5.5v5.5',
  file: 'M12 15.5V4.5m-4 4 4-4 4 4M4.5 15v3.5A1.5 1.5 0 0 0 6 20h12a1.5 1.5 0 0 0 1.5-1.5V15',
  turn: 'M4.5 11a7.8 7.8 0 0 1 14-3.5L20 9m0-5v5h-5m4.5 4a7.8 7.8 0 0 1-14 3.5L4 15m0 5v-5h5',
  undo: 'M8.5 5 4 9.5 8.5 14M4.5 9.5H15a5 5 0 0 1 0 10h-4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8.5a7.5 7.5 0 0 1 15 0',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7.5V12l3 2',
};

/**
 * Creates an element.
 *
 *   h('button', { class: 'primary', onclick: save, disabled: !isChanged }, 'Save')
 *
 * An attribute `onNAME` is a listener, `false` and `null` leave an attribute out, `true` sets it without a value. Children
 * are nodes, texts, numbers, lists of them, or `null`. Texts never become markup.
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = id => document.getElementById(id);

export function icon(name) {
  const element = document.createElementNS(SVG, 'svg'), path = document.createElementNS(SVG, 'path');
  const attributes = { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' };
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  path.setAttribute('d', ICONS[name]);
  element.append(path);
  return element;
}

export function spinner() { return h('span', { class: 'spinner', 'aria-hidden': 'true' }); }

export function button(text, action, attributes) { return h('button', { type: 'button', onclick: action, ...attributes }, text); }

/** A round button with an icon. */
export function iconButton(name, label, action, attributes) {
  return h('button', { type: 'button', class: 'round', 'aria-label': label, title: label, onclick: action, ...attributes }, icon(name));
}

/** A round link with an icon. */
export function iconLink(name, label, href, attributes) {
  return h('a', { class: 'round', 'aria-label': label, title: label, href, ...attributes }, icon(name));
}

/** Shows that a button's action runs: at once, and until its promise ends. */
export async function whileBusy(element, action) {
  if (element.classList.contains('is-busy')) return undefined;
  element.classList.add('is-busy');
  element.setAttribute('aria-busy', 'true');
  try {
    return await action();
  } finally {
    element.classList.remove('is-busy');
    element.removeAttribute('aria-busy');
  }
}

/** A state in the middle of a screen: an icon, a title, a text, and what the user can do. */
export function stateBox(name, title, text, ...actions) {
  return h('div', { class: 'state' }, icon(name), h('h2', null, title), text && h('p', null, text),
    actions.some(Boolean) && h('div', { class: 'state-actions' }, ...actions));
}

/** Writes a text only if it changed: screen readers repeat what is written again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets the part of a bar that is full, from 0 to 1. */
export function setBar(bar, part) { bar.firstChild.style.transform = `scaleX(${Math.min(1, Math.max(0, part))})`; }

/** Says a text to screen readers. */
export function announce(text) { setText(byId('announcer'), text); }

/** Shows a short message; `action` is `{ label, run }`. */
export function toast(text, { isError = false, action = null } = {}) {
  const host = byId('toasts');
  const remove = () => element.remove();
  const element = h('div', { class: `toast${isError ? ' toast-error' : ''}` }, icon(isError ? 'warning' : 'check'), h('p', { dir: 'auto' }, text),
    action && button(action.label, () => { remove(); action.run(); }, { class: 'quiet' }),
    isError && iconButton('close', texts.close, remove, { class: 'round plain' }));
  host.append(element);
  while (host.children.length > TOASTS_MAX) host.firstChild.remove();
  setTimeout(remove, isError ? TOAST_ERROR_MILLISECONDS : TOAST_MILLISECONDS);
}

/** Opens a dialog, and returns a promise of the value of the button that closed it; `null` if it was cancelled. */
export function dialog({ title, text, buttons, isAlert = false }) {
  return new Promise(resolve => {
    const close = value => { element.close(); resolve(value); };
    const element = h('dialog', {
      class: 'dialog', role: isAlert ? 'alertdialog' : null, 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text',
      onclose: () => { element.remove(); resolve(null); },
      onclick: event => { if (event.target === element) close(null); },
    }, h('div', { class: 'dialog-body' }, h('h2', { id: 'dialog-title' }, title), h('p', { id: 'dialog-text' }, text),
      h('div', { class: 'dialog-buttons' },
        buttons.map(({ label, value, kind }) => button(label, () => close(value), { class: kind || 'secondary', autofocus: kind !== 'danger' })))));
    document.body.append(element);
    element.showModal();
  });
}

/** Whether a key press belongs to a dialog or to a field in which the user writes. */
export function isForField(event) {
  return Boolean(document.querySelector('dialog[open]')) || event.target.closest?.('input:not([type=checkbox]):not([type=file]), textarea, select') !== null;
}
