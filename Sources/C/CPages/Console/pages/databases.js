// The databases: a list with search, and what can be done with each.
import { ask, get, isAdministrator, path, withQuery } from '../api.js';
import { conflictsLink } from '../parts/conflict-count.js';
import { sameElsewhere } from '../parts/same.js';
import { pagedTable } from '../parts/table.js';
import { upload } from '../parts/upload.js';
import { actionButton, bytes, button, confirm, count, dialog, field, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const PAGE = 50;
const TYPING_MILLISECONDS = 250;
const t = texts.databases;

export async function show(host, route, signal) {
  const list = h('div');
  const search = h('input', {
    type: 'search', 'data-search': true, placeholder: t.search, 'aria-label': t.search, autocomplete: 'off', spellcheck: 'false', value: route.query.get('prefix') || '',
  });
  host.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, t.title), isAdministrator() && h('div', { class: 'buttons' },
      button(t.restore, () => restore(signal)), button(t.create, () => create(), { class: 'primary' }))), search, list);
  if (!isAdministrator()) return openByName(search, list);
  const begin = () => load(list, () => table(search.value.trim(), signal), element => [element, sameElsewhere(
    [{ address: withQuery('/_all_dbs', { ...range(search.value.trim()), limit: PAGE }) }])], signal);
  let typing = 0;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(begin, TYPING_MILLISECONDS);
  });
  await begin();
  const name = route.query.get('create');
  if (name === null || signal.aborted) return;
  // The address of the list, so that a reload does not open the dialog again.
  history.replaceState(null, '', '#/databases');
  create(name === '1' ? '' : name, route.query.has('example'));
}

/** Who may not list the databases opens one by its name. */
function openByName(search, list) {
  search.placeholder = t.openByName;
  list.append(h('p', { class: 'note' }, t.notListed));
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter' && search.value.trim()) location.hash = `#/database/${encodeURIComponent(search.value.trim())}`;
  });
}

function range(prefix) { return prefix ? { startkey: JSON.stringify(prefix), endkey: JSON.stringify(`${prefix}\ufff0`) } : {}; }

/** The names of databases that the server itself uses begin with this. There are few of them, and they are listed last. */
const SYSTEM = '_', FIRST_LETTER = 'a', SYSTEM_MAX = 50;
const isSystem = name => name.startsWith(SYSTEM);

/** A page of names, and the first name of the next page. */
async function namesOf(prefix, cursor, signal) {
  const key = prefix ? range(prefix) : { startkey: JSON.stringify(FIRST_LETTER) };
  if (cursor !== null) key.startkey = JSON.stringify(cursor);
  // One more name than is shown is the cursor of the next page.
  const names = await get(withQuery('/_all_dbs', { ...key, limit: PAGE + 1 }), { signal });
  const next = names.length > PAGE ? names.pop() : null;
  if (prefix || next !== null) return { names, next };
  return { names: [...names, ...await get(withQuery('/_all_dbs', { ...range(SYSTEM), limit: SYSTEM_MAX }), { signal })], next };
}

function table(prefix, signal) {
  const read = async cursor => {
    const { names, next } = await namesOf(prefix, cursor, signal);
    const infos = names.length ? await ask('POST', '/_dbs_info', { keys: names }, { signal }) : [];
    return { rows: infos.map(item => ({ name: item.key, info: item.info })), next };
  };
  return pagedTable([
    { title: t.name, cell: row => [h('a', { href: `#/database/${encodeURIComponent(row.name)}` }, row.name), ' ', isSystem(row.name) && h('span', { class: 'tag' }, t.system)] },
    { title: t.documents, isNumber: true, cell: row => row.info ? count(row.info.doc_count) : '' },
    { title: t.deleted, isNumber: true, cell: row => row.info ? count(row.info.doc_del_count) : '' },
    { title: t.conflicts, isNumber: true, cell: row => conflictsLink(row.name, row.info) },
    { title: t.size, isNumber: true, cell: row => row.info ? bytes(row.info.sizes.file) : '' },
    { title: t.actions, cell: row => actions(row) },
  ], read, { caption: t.title, empty: prefix ? t.noneFound(prefix) : t.none });
}

function actions(row) {
  return h('div', { class: 'row-buttons' },
    actionButton(t.compact, async () => {
      await ask('POST', path(row.name, '_compact'), {});
      toast(t.compacting(row.name));
    }, { 'aria-label': t.compactName(row.name) }),
    button(t.delete, () => remove(row.name), { 'aria-label': t.deleteName(row.name), class: 'danger-quiet' }));
}

/** Asks for the name before a database is deleted. */
export function remove(name) {
  confirm(t.deleteTitle(name), isSystem(name) ? t.systemWarnings[name] || t.systemWarning : t.deleteWarning, t.delete, async () => {
    await ask('DELETE', path(name));
    toast(t.wasDeleted(name));
    if (location.hash.startsWith('#/databases')) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.hash = '#/databases';
  }, name);
}

/** Makes a new database from a backup. */
function restore(signal) {
  const end = new AbortController();
  signal.addEventListener('abort', () => end.abort());
  const element = dialog(t.restore, close => {
    const name = h('input', { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', autofocus: true });
    const file = h('input', { type: 'file', required: true }), progress = h('div', { role: 'status' });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), submit = h('button', { class: 'primary' }, t.restore);
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        refusal.hidden = true;
        try {
          submit.disabled = true;
          await upload(path(name.value, '_godwit', 'backup'), file.files[0], progress, end.signal);
          close();
          toast(t.wasRestored(name.value));
          location.hash = `#/database/${encodeURIComponent(name.value)}`;
        } catch (error) {
          progress.replaceChildren();
          submit.disabled = false;
          if (error.name === 'AbortError') return;
          refusal.textContent = error.message;
          refusal.hidden = false;
        }
      },
    }, h('p', { class: 'note' }, t.restoreNote), field(t.name, name, t.nameNote), field(t.backupFile, file), progress, refusal,
    h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  });
  element.addEventListener('close', () => end.abort());
}

/** An example of a place, so that a new database has something to show on the map. */
const EXAMPLE = { _id: 'berlin', type: 'Feature', geometry: { type: 'Point', coordinates: [13.4, 52.52] }, properties: { name: 'Berlin' } };

/** Asks for the name of a new database. `isForPlaces` offers an example of a place, and shows the map afterwards. */
function create(value = '', isForPlaces = false) {
  dialog(t.create, close => {
    const name = h('input', { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', autofocus: true, value });
    const partitioned = h('input', { type: 'checkbox' }), example = h('input', { type: 'checkbox', checked: true });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    const submit = async () => {
      await ask('PUT', withQuery(path(name.value), { partitioned: partitioned.checked || undefined }));
      if (isForPlaces && example.checked) await ask('POST', path(name.value), partitioned.checked ? { ...EXAMPLE, _id: `places:${EXAMPLE._id}` } : EXAMPLE);
      close();
      const tab = isForPlaces ? example.checked ? '?rows=map' : '?tab=import' : '';
      location.hash = `#/database/${encodeURIComponent(name.value)}${tab}`;
    };
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        try {
          await submit();
        } catch (error) {
          refusal.textContent = error.message;
          refusal.hidden = false;
        }
      },
    }, isForPlaces && h('p', { class: 'note' }, t.placesNote), field(t.name, name, t.nameNote), isForPlaces && h('label', { class: 'check' }, example, t.example),
    h('div', { class: 'field' }, h('label', { class: 'check' }, partitioned, t.partitioned), h('p', { class: 'note' }, t.partitionedNote)), refusal,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.create), button(texts.cancel, close)));
  });
}
