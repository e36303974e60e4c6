// The three tabs below the screens, and the bar above them.
import { act } from './api.js';
import { button, h, icon, whileBusy } from './elements.js';
import { texts } from './texts.js';

const TABS = [['', 'pictures', texts.tabs.feed], ['post', 'camera', texts.tabs.post], ['profile', 'person', texts.tabs.profile]];

/** Fills a screen: a title, the content that scrolls, and the tabs. Returns the element of the content. */
export function frame(host, current, title, action = null) {
  const content = h('div', { class: 'content', tabindex: '-1' }, h('div', { class: 'column' }));
  host.classList.add('framed');
  host.append(
    h('header', { class: 'top' }, h('div', { class: 'column' }, h('h1', null, title), action)), content,
    h('nav', { class: 'tabs', 'aria-label': texts.name }, TABS.map(([name, image, label]) =>
      h('a', { href: `#/${name}`, 'aria-current': name === current ? 'page' : null }, icon(image), h('span', null, label)))));
  return content.firstChild;
}

/** What a guest sees in place of a screen that needs a user. */
export function guestBox(text) {
  const signIn = button(texts.guest.signIn, () => whileBusy(signIn, () => act('welcome')), { class: 'primary', 'data-first': true });
  return h('div', { class: 'state' }, icon('person'), h('h2', null, texts.guest.title), h('p', null, text),
    h('div', { class: 'state-actions' }, signIn));
}
