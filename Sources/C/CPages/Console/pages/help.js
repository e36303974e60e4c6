// Help: what each page is for, the words of the console, the keys, and the documentation.
import { isAdministrator } from '../api.js';
import { showKeys } from '../parts/keys.js';
import { button, h } from '../view.js';
import { texts } from '../texts.js';

const t = texts.help;
/** The pages that only administrators have in the menu. */
const FOR_ADMINISTRATORS = new Set(['', 'replications', 'backups', 'applications', 'security', 'settings', 'log']);

export async function show(host) {
  const listed = t.pages.filter(([id]) => isAdministrator() || !FOR_ADMINISTRATORS.has(id));
  const part = (title, ...content) => h('section', { class: 'stack' }, h('h2', null, title), ...content);
  const list = items => h('dl', { class: 'facts help-list' }, items.map(([word, meaning]) => [h('dt', null, word), h('dd', null, meaning)]));
  host.replaceChildren(h('h1', null, t.title),
    part(t.tasksTitle, h('ul', { class: 'help-tasks' }, (isAdministrator() ? t.tasks : t.tasksOfUsers).map(([words, address]) => h('li', null, address ? h('a', { href: address }, words) : words)))),
    part(t.pagesTitle, list(listed.map(([id, title, words]) => [h('a', { href: `#/${id}` }, title), words]))),
    part(t.wordsTitle, list(t.words)),
    part(t.keysTitle, h('p', null, t.keysNote), list(texts.keys.list.map(([key, words]) => [h('kbd', null, key), words])), h('div', { class: 'buttons' }, button(t.keysOff, showKeys))),
    part(t.docsTitle, h('p', null, t.docsNote), list(t.docs.map(([file, words]) => [h('code', null, `docs/${file}`), words]))));
}
