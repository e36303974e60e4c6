// API keys: a new key with its rights on a database, and the list of keys.
import { ask, get, path, quoted, session, withQuery } from '../api.js';
import { databaseInput } from './database-field.js';
import { block, sameElsewhere } from './same.js';
import { isOpen, withRights } from './security-rights.js';
import { pagedTable } from './table.js';
import { actionButton, button, confirm, field, h, load, moment, toast } from '../view.js';
import { texts } from '../texts.js';

const PAGE = 50;
const KEYS = '/_api/v2/api_keys', LIST = '/_godwit/keys', HERE = '#/security/keys';
const RIGHTS = { read: ['_reader'], write: ['_reader', '_writer'] };
const NOTE_LENGTH_MAX = 200;
const t = texts.security;

/**
 * The key that was made last, until the user presses “Done”: `{ user, key, password, note, database, rights,
 * security, failure }`. It stays when another page is shown, and after a login of the same user when the session ended.
 */
let made = null;

addEventListener('beforeunload', event => { if (shown()) event.preventDefault(); });

document.addEventListener('logging-out', event => {
  if (!shown()) return;
  event.preventDefault();
  confirm(t.leaveKeyTitle, t.shownOnce, texts.logOut, async () => {
    made = null;
    event.detail.again();
  });
});

const shown = () => {
  if (made && made.user !== session.name) made = null;
  return made;
};

export async function keys(host, route, signal) {
  const place = h('div', { class: 'stack' }), list = h('div', { class: 'stack' });
  const draw = () => {
    place.replaceChildren(...(shown() ? madePart(draw) : [newKeyForm(route, signal, () => { draw(); showList(list, signal); })]));
    if (made) place.querySelector('h2').focus();
  };
  host.replaceChildren(h('p', { class: 'note' }, t.keysNote), place, list, sameElsewhere(requests));
  draw();
  signal.addEventListener('abort', () => {
    if (made && !location.hash.startsWith(HERE)) toast(t.keyIsKept);
  });
  await showList(list, signal);
}

/** The requests of this page. That of the permissions is known when a key was made: it has everything that was there before. */
const requests = () => [
  { method: 'POST', address: KEYS, body: { note: made?.note || 'NOTE' } },
  ...(made?.security ? [{ address: path(made.database, '_security') }, { method: 'PUT', address: path(made.database, '_security'), body: made.security }] : []),
  { address: LIST }, { method: 'DELETE', address: `${LIST}/KEY` }];

// ---- A new key

function newKeyForm(route, signal, done) {
  const { input, list } = databaseInput(route.query.get('db') || '', signal, { required: true });
  const rights = h('select', null, Object.keys(RIGHTS).map(key => h('option', { value: key }, t.keyRights[key])));
  const note = h('input', { autocomplete: 'off', maxlength: NOTE_LENGTH_MAX });
  const question = h('div', { class: 'stack', role: 'alert' }), submit = h('button', { class: 'primary' }, t.makeKey);
  const begin = async (agreed = {}) => {
    const database = input.value.trim();
    question.replaceChildren();
    submit.disabled = true;
    try {
      const doubt = await doubtOf(database, agreed, signal);
      if (doubt) return question.replaceChildren(doubtPart(doubt, () => begin({ ...agreed, [doubt.id]: true })));
      await make(database, RIGHTS[rights.value], note.value.trim());
      if (!signal.aborted) done();
    } catch (error) {
      if (error.name !== 'AbortError') question.replaceChildren(h('p', { class: 'refusal' }, error.message));
    } finally {
      submit.disabled = false;
    }
  };
  return h('form', { class: 'form', onsubmit: event => { event.preventDefault(); begin(); } },
    h('div', { class: 'form-grid' }, h('div', null, field(t.keyDatabase, input), list), field(t.keyMay, rights), field(t.keyNote, note, t.keyNoteNote)),
    question, h('div', { class: 'buttons' }, submit));
}

/** What the user must know before the key is made; `null` if nothing. */
async function doubtOf(database, agreed, signal) {
  const [{ info }] = await ask('POST', '/_dbs_info', { keys: [database] }, { signal });
  if (!info && !agreed.creates) return { id: 'creates', words: t.noDatabase(database), action: t.createAndMake(database) };
  if (!info) await ask('PUT', path(database), undefined, { signal });
  const security = await get(path(database, '_security'), { signal });
  return isOpen(security) && !agreed.closes ? { id: 'closes', words: t.keyCloses(database), action: t.makeKeyAnyway } : null;
}

function doubtPart({ words, action }, agree) {
  return h('div', { class: 'warning banner' }, h('span', null, words), actionButton(action, agree));
}

/** Makes the key, and gives it the rights. The key is shown also if the rights could not be given. */
async function make(database, rights, note) {
  const { key, password } = await ask('POST', KEYS, note ? { note } : {});
  made = { user: session.name, key, password, note, database, rights, security: null, failure: null };
  await give();
}

async function give() {
  const address = path(made.database, '_security');
  try {
    const security = withRights(await get(address), made.key, made.rights);
    await ask('PUT', address, security);
    Object.assign(made, { security, failure: null });
  } catch (error) {
    made.failure = error.message;
  }
}

/** The key with its password, until it is stored. */
function madePart(draw) {
  const { key, password, database, rights, failure } = made;
  const words = rights.includes('_writer') ? t.keyMayWrite(database) : t.keyMayRead(database);
  const line = `curl -u ${quoted(`${key}:${password}`)} ${quoted(`${location.origin}${path(database, '_all_docs')}?limit=10`)}`;
  return [
    h('h2', { tabindex: '-1' }, t.keyMade), failure ? h('div', { class: 'refusal banner' }, h('span', null, t.rightsNotGiven(database, failure)),
      actionButton(texts.tryAgain, async () => { await give(); draw(); })) : h('p', { class: 'good' }, words),
    h('p', { class: 'warning', role: 'status' }, t.shownOnce), block(t.key, key), block(t.password, password), block(t.tryKey, line),
    h('div', { class: 'buttons' }, button(t.done, () => { made = null; draw(); }, { class: 'primary' }),
      h('a', { href: `#/security/permissions?db=${encodeURIComponent(database)}` }, t.permissionsOf(database)))];
}

// ---- The list

async function showList(host, signal) {
  const read = async cursor => {
    const answer = await get(withQuery(LIST, { startkey: cursor ?? undefined, limit: PAGE }), { signal });
    return { rows: answer.keys, next: answer.next };
  };
  const place = h('div'), again = () => showList(host, signal);
  const table = async () => {
    try {
      return await pagedTable([
        { title: t.key, cell: item => h('bdi', { class: 'mono' }, item.name) }, { title: t.keyNote, cell: item => h('bdi', null, item.note ?? '') },
        { title: t.keyCreated, cell: item => item.created === null ? '' : moment(item.created) },
        { title: t.actions, cell: item => h('div', { class: 'row-buttons' }, button(t.delete, () => remove(item, again), { class: 'danger-quiet', 'aria-label': t.deleteKey(item.name) })) },
      ], read, { caption: t.keyList, empty: t.noKeys });
    } catch (error) {
      if (error.status !== 404) throw error;
      return null;
    }
  };
  await load(place, table, element => {
    host.replaceChildren(...(element ? [h('h2', null, t.keyList), place] : []));
    return element;
  }, signal);
  if (place.querySelector('.state-error')) host.replaceChildren(h('h2', null, t.keyList), place);
}

function remove(item, again) {
  confirm(t.deleteKey(item.name), t.deleteKeyNote, t.delete, async () => {
    await ask('DELETE', `${LIST}/${encodeURIComponent(item.name)}`);
    if (made?.key === item.name) made = null;
    toast(t.keyDeleted(item.name));
    again();
  });
}
