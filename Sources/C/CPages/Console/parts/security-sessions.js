// Open requests and feeds, which can be ended one by one, and the end of all sessions.
import { ask, get } from '../api.js';
import { sameElsewhere } from './same.js';
import { pagedTable } from './table.js';
import { actionButton, button, confirm, h, load, moment, toast } from '../view.js';
import { texts } from '../texts.js';

const t = texts.security;
const ADDRESS = '/_godwit/requests';
const SECRET = '/_node/_local/_config/chttpd_auth/secret';

export async function sessions(host, route, signal) {
  const list = h('div'), note = h('p', { class: 'note' });
  const again = () => load(list, () => pagedTable([
    { title: t.auditColumns.user, cell: request => h('bdi', null, request.user ?? t.noName) },
    { title: t.auditColumns.address, cell: request => request.address },
    { title: t.request, cell: request => h('code', null, `${request.method} ${request.path}`) },
    { title: t.since, cell: request => moment(request.started) },
    { title: t.actions, cell: request => actionButton(t.endRequest, () => end(request, again), { class: 'danger-quiet', 'aria-label': t.endNamed(request.method, request.path, request.user ?? t.noName) }) },
  ], read, { caption: t.openRequests, empty: t.noRequests }), element => element, signal);
  const read = async () => {
    const { total, requests } = await get(ADDRESS, { signal });
    note.textContent = total > requests.length ? t.oldestOf(requests.length, total) : '';
    return { rows: requests, next: null };
  };
  host.replaceChildren(
    h('div', { class: 'head' }, h('h2', null, t.openRequests), button(t.readAgain, again)), h('p', { class: 'note' }, t.requestsNote), list, note,
    h('h2', null, t.allSessions), h('p', { class: 'note' }, t.sessionsNote),
    h('div', { class: 'buttons' }, button(t.endSessions, () => confirm(t.endSessionsTitle, t.endSessionsNote, t.endSessions, endSessions), { class: 'danger-quiet' })),
    sameElsewhere([{ address: ADDRESS }, { method: 'PUT', address: SECRET, body: '' }]));
  await again();
}

async function end(request, again) {
  await ask('DELETE', `${ADDRESS}/${request.id}`);
  toast(t.requestEnded);
  await again();
}

/** The empty secret becomes a new random one. This session ends too. */
const endSessions = () => ask('PUT', SECRET, '');
