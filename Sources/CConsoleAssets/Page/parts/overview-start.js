// The first steps on a server that has no database of its users and no application yet.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { optional } from './overview-history.js';

const t = texts.overview;

/** Whether there are only the databases of the server itself, and no application. */
export async function isUnused({ infos, hasMore }, signal) {
  if (hasMore || infos.some(info => !info.db_name.startsWith('_'))) return false;
  const applications = await optional('/_apps', signal);
  return !applications?.length;
}

export function startPart() {
  return h('section', { class: 'start stack', 'aria-labelledby': 'start-title' }, h('h2', { id: 'start-title' }, t.start), h('p', null, t.startNote),
    h('ul', null, t.startLinks.map(([words, address, note]) => h('li', null, h('a', { href: address }, words), h('span', { class: 'note' }, note)))));
}
