// Elements, icons, dates, requests and notices: what the page's other modules share.
import { texts } from './texts.js';

const SVG = 'http://www.w3.org/2000/svg';
const DAY_SECONDS = 86400;

/** The lines of the icons, in a square of 24. */
const ICONS = {
  older: 'm14.5 5-7 7 7 7',
  newer: 'm9.5 5 7 7-7 7',
  close: 'M6 6l12 12M18 6 6 18',
  pin: 'M12 21s6.5-6.6 6.5-11.4a6.5 6.5 0 1 0-13 0C5.5 14.4 12 21 12 21Zm0-9.2a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z',
  full: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  fill: 'M3.5 6.5h17v11h-17ZM8 10v4m8-4v4m-8-2h8',
  pictures: 'M5 4.5h14A1.5 1.5 0 0 1 20.5 6v12a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 18V6A1.5 1.5 0 0 1 5 4.5ZM4 17l5-5.5 4 4.3 2.6-2.8L20 17.4M15.6 9.6a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4Z',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7.5V12l3 2',
};

export const byId = id => document.getElementById(id);

/**
 * Creates an element. An attribute `onNAME` is a listener; `null` and `false` leave an attribute out, `true` sets it without
 * a value. Children are nodes, texts, lists of them, or `null`. Texts never become markup.
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, svg('path', { d: ICONS[name] }));
}

export function iconButton(name, label, action, attributes) {
  return h('button', { type: 'button', class: 'round', 'aria-label': label, title: label, onclick: action, ...attributes }, icon(name));
}

/** Writes a text only if it changed: screen readers repeat what is written again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const isReduced = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
/** Whether the photo is a sheet at the bottom of the window; as in map.css. */
export const isPhone = () => matchMedia('(max-width: 759px)').matches;

// MARK: Dates and places

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const moment = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });

/** A date of `seconds` since 1970, in the time zone of the viewer; with the time if the period is short. */
export function dateOf(seconds, period = Infinity) {
  const date = new Date(seconds * 1000);
  if (isNaN(date)) return '';
  return period < 3 * DAY_SECONDS ? `${day.format(date)}, ${minute.format(date)}` : day.format(date);
}

export function momentOf(seconds) {
  const date = new Date(seconds * 1000);
  return isNaN(date) ? '' : moment.format(date);
}

export function spanOf(from, to) { return texts.times.span(dateOf(from), dateOf(to)); }

function degrees(value, plus, minus) {
  const text = Math.abs(value).toFixed(5);
  return `${text}°${Number(text) === 0 ? '' : ` ${value > 0 ? plus : minus}`}`;
}

export function placeOf(latitude, longitude) { return `${degrees(latitude, 'N', 'S')}, ${degrees(longitude, 'E', 'W')}`; }

// MARK: Requests

/** The JSON of an answer, or an Error whose message is a sentence for the page. Its `status` is 0 without an answer. */
export async function read(path) {
  let response, body = null;
  try {
    response = await fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-cache' });
    body = await response.json().catch(() => null);
  } catch {
    throw failure(0, texts.errors.noAnswer);
  }
  if (!response.ok) throw failure(response.status, body?.reason ? sentence(String(body.reason)) : texts.errors.status(response.status));
  if (body === null || typeof body !== 'object') throw failure(response.status, texts.errors.unreadable);
  return body;
}

function failure(status, message) { return Object.assign(new Error(message), { status }); }

function sentence(text) { return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`; }

// MARK: Notices

/** Notices are above the map, one for each key. `action` is `{ label, run }`. */
export function notice(key, kind, text, action = null) {
  const known = noticeOf(key);
  if (known && known.dataset.text === text) return;
  known?.remove();
  const remove = () => {
    clearNotice(key);
    byId('map').focus({ preventScroll: true });
  };
  const attributes = { class: `notice notice-${kind}`, role: kind === 'error' ? 'alert' : 'status', 'data-key': key, 'data-text': text };
  byId('notices').append(h('div', attributes, h('p', null, text),
    action && h('button', { type: 'button', onclick: () => { remove(); action.run(); } }, action.label),
    kind !== 'wait' && iconButton('close', texts.close, remove)));
}

export function clearNotice(key) { noticeOf(key)?.remove(); }

function noticeOf(key) { return Array.from(byId('notices').children).find(box => box.dataset.key === key); }
