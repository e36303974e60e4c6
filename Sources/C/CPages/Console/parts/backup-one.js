// One backup: its figures, what failed, and its databases, page by page.
import { get, withQuery } from '../api.js';
import { actionButton, bytes, button, count, h, load, moment } from '../view.js';
import { texts } from '../texts.js';
import { removeBackup, restoreDialog, restoreLines } from './backup-actions.js';
import { BACKUPS, backupPath } from './backup-state.js';
import { sameElsewhere } from './same.js';
import { pagedTable } from './table.js';

const PAGE = 50;
const TYPING_MILLISECONDS = 250;
const t = texts.backups;

export async function showBackup(host, id, { signal, check }) {
  const list = h('div', { class: 'backup-table' }), facts = h('div', { class: 'stack' }), foot = h('div');
  const search = h('input', { type: 'search', 'data-search': true, placeholder: texts.databases.search, 'aria-label': texts.databases.search, autocomplete: 'off', spellcheck: 'false' });
  const buttons = h('div', { class: 'buttons' });
  host.replaceChildren(
    h('p', { class: 'crumbs' }, h('a', { href: '#/backups' }, t.title)),
    h('div', { class: 'head' }, h('h1', null, t.titleOf(id)), buttons), facts);
  const begin = () => load(list, () => table(id, search.value.trim(), signal), element => [element, sameElsewhere([
    { address: withQuery(backupPath(id), { startkey: search.value.trim() || undefined, limit: PAGE }) },
    { method: 'POST', address: backupPath(id, 'restore'), body: { database: 'NAME', target: 'NEW-NAME' } },
    { method: 'POST', address: backupPath(id, 'check'), body: {} }, { method: 'DELETE', address: backupPath(id) },
  ])], signal);
  let listed = null;
  await load(facts, () => get(withQuery(backupPath(id), { limit: 1 }), { signal }), backup => {
    listed = begin();
    get(BACKUPS, { signal }).then(({ directory }) => { if (directory) foot.replaceChildren(restoreLines(directory, id)); }, () => {});
    buttons.replaceChildren(
      actionButton(t.check, () => check.begin(backupPath(id, 'check'))),
      button(t.remove, () => removeBackup(id, () => { if (!signal.aborted) location.hash = '#/backups'; }), { class: 'danger-quiet' }));
    return [figures(backup), check.element, failuresOf(backup, id, signal), h('h2', null, t.databases), search, list, foot];
  }, signal);
  let typing = 0;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(begin, TYPING_MILLISECONDS);
  });
  await listed;
}

function figures(backup) {
  return h('dl', { class: 'figures' }, [
    [t.time, moment(backup.started)], [t.duration, t.seconds(backup.ended - backup.started)], [t.databases, count(backup.databases)],
    [t.unchanged, count(backup.unchanged)], [t.documents, count(backup.documents)], [t.size, bytes(backup.bytes)], [t.failuresTitle, count(backup.failures)],
  ].map(([title, value]) => h('div', null, h('dt', null, title), h('dd', null, value))));
}

/** The databases that could not be copied. They are named first. */
function failuresOf(backup, id, signal) {
  if (!backup.failed.length) return null;
  return h('section', { class: 'stack' }, h('h2', null, t.failuresTitle), h('p', { class: 'refusal' }, t.failedNote(count(backup.failures))),
    backup.failures > backup.failed.length && h('p', { class: 'note' }, texts.progress.listed(backup.failed.length)),
    h('div', { class: 'table-scroll refusal-list', tabindex: '0', role: 'region', 'aria-label': t.failuresTitle }, h('table', { class: 'data-table' }, h('caption', { class: 'hidden' }, t.failuresTitle),
      h('thead', null, h('tr', null, [t.database, t.reason, texts.databases.actions].map(title => h('th', { scope: 'col' }, title)))),
      h('tbody', null, backup.failed.map(entry => h('tr', null, h('th', { scope: 'row' }, h('bdi', null, entry.name)), h('td', null, entry.failure), h('td', null, restoreButton(id, entry, signal))))))));
}

function table(id, prefix, signal) {
  const read = async cursor => {
    const answer = await get(withQuery(backupPath(id), { startkey: cursor ?? (prefix || undefined), limit: PAGE + 1 }), { signal });
    const found = answer.entries.filter(entry => entry.name.startsWith(prefix));
    return { next: found.length > PAGE ? found.pop().name : null, rows: found };
  };
  return pagedTable([
    { title: t.database, cell: entry => h('bdi', null, entry.name) },
    { title: t.documents, isNumber: true, cell: entry => entry.documents === undefined ? '' : count(entry.documents) },
    { title: t.size, isNumber: true, cell: entry => bytes(entry.bytes) },
    { title: t.state, cell: entry => entry.failure ? h('span', { class: 'bad' }, entry.failure) : t.copied },
    { title: texts.databases.actions, cell: entry => restoreButton(id, entry, signal) },
  ], read, { caption: t.databases, empty: prefix ? texts.databases.noneFound(prefix) : t.noDatabases });
}

/** Only a database with a copy can be restored. */
function restoreButton(id, entry, signal) {
  return h('div', { class: 'row-buttons' }, entry.documents === undefined ? h('span', { class: 'note' }, t.noCopy)
    : button(t.restore, () => restoreDialog(id, entry, signal), { 'aria-label': t.restoreName(entry.name) }));
}
