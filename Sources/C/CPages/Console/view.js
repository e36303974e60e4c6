// Elements, states and dialogs: the parts of which each page is made.
import { texts } from './texts.js';

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
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Creates an element of SVG. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  append(element, children);
  return element;
}

export const byId = id => document.getElementById(id);

// ---- States of a page

/** The number of the newest request of each element that shows one. */
const runs = new WeakMap();

/**
 * Shows the state of a request in `host`: loading, then what `show(result)` returns, or the error with a button to try
 * again. An answer that arrives after a newer request of the same element began is dropped. Returns the promise of the end.
 */
export async function load(host, request, show, signal) {
  const run = (runs.get(host) || 0) + 1;
  runs.set(host, run);
  const isOver = () => signal?.aborted || runs.get(host) !== run;
  const wait = setTimeout(() => isOver() || host.replaceChildren(loadingState()), 120);
  try {
    const result = await request();
    if (isOver()) return;
    clearTimeout(wait);
    const content = [await show(result)].flat().filter(Boolean);
    if (!isOver()) host.replaceChildren(...content);
  } catch (error) {
    if (error.name !== 'AbortError' && !isOver()) host.replaceChildren(errorState(error, () => load(host, request, show, signal)));
  } finally {
    clearTimeout(wait);
  }
}

export function loadingState() { return h('p', { class: 'state', role: 'status' }, texts.loading); }

export function emptyState(text, ...actions) { return h('div', { class: 'state' }, h('p', null, text), ...actions); }

export function errorState(error, again) {
  return h('div', { class: 'state state-error', role: 'alert' },
    h('p', null, error.message), again && button(texts.tryAgain, again));
}

// ---- Controls

export function button(text, action, attributes) { return h('button', { type: 'button', onclick: action, ...attributes }, text); }

/** A button that is disabled while its action runs; an error of the action becomes a toast. */
export function actionButton(text, action, attributes) {
  const element = button(text, async event => {
    element.disabled = true;
    try {
      await action(event);
    } catch (error) {
      toast(error.message, 'error');
    } finally {
      element.disabled = false;
    }
  }, attributes);
  return element;
}

/** The width from which on a page has room for all its buttons. */
const WIDE = '(min-width: 700px)';

/** Further buttons: on a wide window they are shown, and on a phone they are in a menu. */
export function moreButtons(children, signal) {
  const wide = matchMedia(WIDE), buttons = h('div', { class: 'buttons' }, children);
  const element = h('details', { class: 'more' }, h('summary', null, texts.more), buttons);
  const fit = () => { element.open = wide.matches; };
  wide.addEventListener('change', fit, { signal });
  fit();
  return element;
}

let number = 0;

/** A labelled field: `input` is an element of a form; `note` explains it. */
export function field(label, input, note) {
  if (!input.id) input.id = `field-${number += 1}`;
  if (note && !input.hasAttribute('aria-describedby')) input.setAttribute('aria-describedby', `${input.id}-note`);
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input, note && h('p', { class: 'note', id: `${input.id}-note` }, note));
}

/** A short message that disappears; errors stay until they are closed. */
export function toast(text, kind) {
  const box = h('div', { class: `toast ${kind === 'error' ? 'toast-error' : ''}`, role: kind === 'error' ? 'alert' : 'status' },
    h('p', null, text), button('×', () => box.remove(), { 'aria-label': texts.close, class: 'quiet' }));
  byId('toasts').append(box);
  while (byId('toasts').children.length > 4) byId('toasts').firstElementChild.remove();
  if (kind !== 'error') setTimeout(() => box.remove(), 5000);
}

/**
 * Opens a dialog with a title. `fill(close)` returns its content. Escape closes it, and the focus returns to where it was.
 */
export function dialog(title, fill, attributes) {
  const id = `dialog-${number += 1}`;
  const element = h('dialog', { 'aria-labelledby': id, ...attributes });
  const close = () => element.close();
  const before = document.activeElement;
  element.append(
    h('div', { class: 'dialog-head' }, h('h2', { id }, title), button('×', close, { 'aria-label': texts.close, class: 'quiet' })));
  append(element, [fill(close)]);
  element.addEventListener('close', () => {
    element.remove();
    if (before?.isConnected) before.focus();
    else byId('main').focus({ preventScroll: true });
  });
  document.body.append(element);
  element.showModal();
  return element;
}

/** Asks before something is destroyed: `word` must be typed if it is given. Calls `action` if the user agrees. */
export function confirm(title, text, label, action, word) {
  dialog(title, close => {
    const input = word && h('input', { autocomplete: 'off', spellcheck: 'false', autofocus: true, oninput: () => update() });
    const submit = h('button', { class: 'danger', disabled: Boolean(word) }, label);
    const update = () => { submit.disabled = input.value !== word; };
    return h('form', {
      class: 'form', method: 'dialog', onsubmit: async event => {
        event.preventDefault();
        submit.disabled = true;
        try {
          await action();
          close();
        } catch (error) {
          toast(error.message, 'error');
          submit.disabled = false;
        }
      },
    }, h('p', null, text), word && field(texts.typeToConfirm(word), input), h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  });
}

// ---- Numbers

const numbers = new Intl.NumberFormat('en');

export const count = value => numbers.format(value);

export function bytes(value) {
  if (value === null || value === undefined) return '';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${value < 10 && unit ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function moment(seconds) {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(seconds * 1000));
}
