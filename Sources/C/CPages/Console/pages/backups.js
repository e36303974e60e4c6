// Backups of all databases: state, schedule, list and checks. `#/backups`; `#/backups/ID` is one of them.
import { get } from '../api.js';
import { doctorLines, removeBackup } from '../parts/backup-actions.js';
import { checkPart } from '../parts/backup-check.js';
import { showBackup } from '../parts/backup-one.js';
import { poll } from '../parts/backup-poll.js';
import { BACKUPS, SETTINGS, backupPath, beginButton, statePart } from '../parts/backup-state.js';
import { sameElsewhere } from '../parts/same.js';
import { pagedTable } from '../parts/table.js';
import { actionButton, button, bytes, count, errorState, h, load, moment } from '../view.js';
import { texts } from '../texts.js';

const PAGE = 50;
const t = texts.backups;

export async function show(host, route, signal) {
  let look = async () => {};
  const check = checkPart(() => look(), route.parts[0]);
  if (route.parts[0]) {
    await showBackup(host, route.parts[0], { signal, check });
    await check.look(signal);
    look = poll(() => check.look(signal), signal);
    return;
  }
  const again = () => look(), state = statePart(again), list = h('div'), begin = beginButton(again), refusal = h('div', { class: 'backup-refusal' });
  host.replaceChildren(h('div', { class: 'head' }, h('h1', null, t.title), h('div', { class: 'buttons' }, begin)),
    h('p', { class: 'note' }, t.note), refusal, state.element, list, check.element, doctorLines(), sameElsewhere(requests));
  begin.hidden = true;
  let listed = null;
  const read = async () => {
    try {
      const answer = await get(BACKUPS, { signal });
      refusal.replaceChildren();
      state.show(answer);
      begin.hidden = answer.directory === null || answer.running !== null;
      const text = JSON.stringify(answer.backups);
      if (text !== listed) {
        listed = text;
        await load(list, () => table(answer, check, again, signal), element => answer.directory === null ? null : [h('h2', null, t.list), element], signal);
      }
      const isChecking = await check.look(signal);
      return answer.running !== null || isChecking;
    } catch (error) {
      if (error.name === 'AbortError') return false;
      refusal.replaceChildren(errorState(error, again));
      return false;
    }
  };
  await read();
  look = poll(read, signal);
}

const requests = () => [
  { address: BACKUPS }, { method: 'POST', address: BACKUPS, body: {} }, { method: 'PUT', address: `${SETTINGS}/every_hours`, body: '24' },
  { method: 'PUT', address: `${SETTINGS}/keep`, body: '7' }, { method: 'POST', address: '/_godwit/check', body: {} }, { address: '/_godwit/check' },
];

/** The list of backups, the newest first. The server sends all of them, at most a thousand. */
function table(answer, check, again, signal) {
  const read = async cursor => {
    const start = cursor ?? 0, rows = answer.backups.slice(start, start + PAGE), end = start + rows.length;
    return { rows, next: end < answer.backups.length ? end : null };
  };
  const number = key => row => row.error ? '' : count(row[key]);
  return pagedTable([
    { title: t.time, cell: row => row.error ? h('code', null, row.id) : h('a', { href: `#/backups/${encodeURIComponent(row.id)}`, class: 'nowrap' }, moment(row.started)) },
    { title: t.state, cell: row => row.error ? h('span', { class: 'bad' }, row.error) : row.failures ? h('span', { class: 'tag tag-red' }, t.failures(count(row.failures))) : h('span', { class: 'tag tag-green' }, t.complete) },
    { title: t.databases, isNumber: true, cell: number('databases') }, { title: t.unchanged, isNumber: true, cell: number('unchanged') },
    { title: t.documents, isNumber: true, cell: number('documents') }, { title: t.size, isNumber: true, cell: row => row.error ? '' : bytes(row.bytes) },
    { title: texts.databases.actions, cell: row => h('div', { class: 'row-buttons' },
      !row.error && actionButton(t.check, () => check.begin(backupPath(row.id, 'check')), { 'aria-label': t.checkName(row.id) }),
      button(t.remove, () => removeBackup(row.id, () => { if (!signal.aborted) again(); }), { class: 'danger-quiet', 'aria-label': t.removeName(row.id) })) },
  ], read, { caption: t.title, empty: t.none });
}
