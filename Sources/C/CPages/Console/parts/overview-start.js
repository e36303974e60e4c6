// The first steps on a new server: they are shown until they are done, or until the user hides them.
import { button, h } from '../view.js';
import { texts } from '../texts.js';
import { optional } from './overview-history.js';

/** A server with more databases of its users is no new one. */
const DATABASES_MAX = 5;
/** Where the browser stores that the steps are hidden, and that places were seen on a map. */
const HIDDEN = 'godwit-start-hidden', SEEN = 'godwit-map-seen';
const t = texts.overview;

const stored = name => { try { return localStorage.getItem(name) !== null; } catch { return false; } };
const store = name => { try { localStorage.setItem(name, '1'); } catch { /* the steps are shown again */ } };

/** Notes that places were shown on a map. */
export const noteMap = () => store(SEEN);

/** Whether a database has a name that an application gives its databases by default. */
const isOf = (info, id) => [id.toLowerCase(), id.replace(/[^a-z0-9]/g, '_')].some(start => info.db_name.startsWith(start));

const isOwn = info => !info.db_name.startsWith('_');

/** Whether there are only the databases of the server itself, and no application. */
export function isUnused({ infos, hasMore }, applications) {
  return !hasMore && !infos.some(isOwn) && !applications.length;
}

/** The applications of the server; none if they cannot be read. */
export const readApplications = async signal => await optional('/_apps', signal) || [];

/** The steps with those that are done; `null` on a server that is not new, and after they were hidden or done. */
export async function startPart({ infos, hasMore }, applications, again, signal) {
  const own = infos.filter(isOwn).length;
  if (hasMore || own > DATABASES_MAX || applications.length > 1 || stored(HIDDEN)) return null;
  const keys = await optional('/_godwit/keys?limit=1', signal);
  const done = [applications.length > 0, infos.some(info => isOwn(info) && !applications.some(id => isOf(info, id))), Boolean(keys?.keys.length), stored(SEEN)];
  if (done.every(Boolean)) return null;
  const hide = button(t.startHide, () => { store(HIDDEN); again(); }, { class: 'quiet' });
  return h('section', { class: 'start stack', 'aria-labelledby': 'start-title' },
    h('div', { class: 'head' }, h('h2', { id: 'start-title' }, t.start), hide), h('p', null, done.some(Boolean) ? t.startMore : t.startNote),
    h('ul', null, t.startLinks.map(([words, address, note], i) => h('li', null, h('span', null, done[i] && h('span', { class: 'good' }, `${t.startDone} `), h('a', { href: address }, words)), h('span', { class: 'note' }, note)))));
}
