// The replications of the server: their progress, as it changes, and new ones.
import { ask, documentPath, get, isAdministrator, path, withQuery } from '../api.js';
import { startReplication } from '../parts/replication-form.js';
import { sameElsewhere } from '../parts/same.js';
import { bodyOf } from '../parts/json.js';
import { isFailing } from '../parts/overview-databases.js';
import { button, confirm, count, dialog, emptyState, errorState, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const PAGE = 50;
const JOBS_MAX = 200;
const READ_MILLISECONDS = 2000;
const t = texts.replications;

export async function show(host, route, signal) {
  const list = h('div', { class: 'query' });
  const place = { list, signal, skip: Math.max(0, Number(route.query.get('skip')) || 0), before: new Map(), rows: new Map() };
  host.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, t.title),
      isAdministrator() && button(t.start, () => startReplication(signal, () => refresh(place)), { class: 'primary' })),
    list, sameElsewhere([{ address: '/_scheduler/docs' }, { address: '/_scheduler/jobs' }]));
  if (!isAdministrator()) return list.replaceChildren(emptyState(t.notAllowed));
  await load(list, () => read(place), state => draw(place, state), signal);
  const timer = setInterval(() => { if (!document.hidden && !document.querySelector('dialog[open]')) refresh(place); }, READ_MILLISECONDS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

async function read({ skip, signal }) {
  const [documents, jobs] = await Promise.all([
    get(withQuery('/_scheduler/docs', { limit: PAGE, skip: skip || undefined }), { signal }),
    get(withQuery('/_scheduler/jobs', { limit: JOBS_MAX }), { signal })]);
  return { documents, jobs, at: performance.now() };
}

async function refresh(place) {
  if (place.isReading || place.signal.aborted) return;
  place.isReading = true;
  try {
    const state = await read(place);
    if (!place.signal.aborted) place.list.replaceChildren(...keepFocus(place, () => [draw(place, state)].flat()));
  } catch (error) {
    if (error.name !== 'AbortError' && !place.signal.aborted) place.list.replaceChildren(errorState(error, () => refresh(place)));
  } finally {
    place.isReading = false;
  }
}

/** Rows are drawn again: the focus stays on the same button, and the table keeps its position. */
function keepFocus(place, make) {
  const focused = place.list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const left = place.list.querySelector('.table-scroll')?.scrollLeft || 0;
  const nodes = make();
  queueMicrotask(() => {
    if (focused) [...place.list.querySelectorAll('[data-key]')].find(node => node.dataset.key === focused)?.focus({ preventScroll: true });
    const scroll = place.list.querySelector('.table-scroll');
    if (scroll) scroll.scrollLeft = left;
  });
  return nodes;
}

// ---- The list

function draw(place, { documents, jobs, at }) {
  const byID = new Map(jobs.jobs.map(job => [job.id, job]));
  const listed = new Set(documents.docs.map(row => row.id));
  // Replications that have no document were started by a request.
  const others = place.skip === 0 ? jobs.jobs.filter(job => !job.doc_id && !listed.has(job.id)) : [];
  const rows = [...documents.docs, ...others.map(job => ({ ...job, state: isFailing(job) ? 'crashing' : 'running', isTransient: true }))];
  const rates = new Map(rows.map(row => [row, rate(place, row, at)]));
  if (!rows.length) return emptyState(t.none);
  return [h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t.title, 'data-key': 'table' },
    h('table', { class: 'data-table roomy' }, h('caption', { class: 'hidden' }, t.title),
      h('thead', null, h('tr', null, [t.name, t.state, t.sourceTarget, t.written, t.rate, t.failures, t.actions].map((title, i) =>
        h('th', { scope: 'col', class: i >= 3 && i <= 5 && 'number' }, title)))),
      h('tbody', null, rows.map(row => line(place, row, byID.get(row.id), rates.get(row)))))),
  pages(place, documents)];
}

/** Documents a second, from the difference of two reads. */
function rate(place, row, at) {
  const key = row.id || row.doc_id, written = row.info?.docs_written, before = place.before.get(key);
  if (written === undefined) return null;
  if (!before) { place.before.set(key, { written, at }); return null; }
  place.before.set(key, { written, at });
  return at > before.at ? Math.max(0, (written - before.written) / ((at - before.at) / 1000)) : null;
}

const hasEnded = row => row.state === 'completed' || row.state === 'failed';

const STATES = { running: 'tag-blue', completed: 'tag-green', crashing: 'tag-red', failed: 'tag-red', error: 'tag-red', pending: 'tag-amber' };

function line(place, row, job, perSecond) {
  const name = row.doc_id || row.id, info = row.info || {};
  return h('tr', null,
    h('th', { scope: 'row' }, name, row.isTransient && h('div', { class: 'note' }, t.transient)),
    h('td', null, h('span', { class: `tag ${STATES[row.state] || ''}` }, t.states[row.state] || row.state),
      info.error && h('div', { class: 'bad' }, String(info.error))),
    h('td', null, h('div', null, withoutPassword(row.source)), h('div', null, '→ ', withoutPassword(row.target))),
    h('td', { class: 'number' }, progress(info)),
    h('td', { class: 'number' }, perSecond === null || row.state !== 'running' ? '' : t.perSecond(perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond)))),
    h('td', { class: 'number' }, count((info.doc_write_failures || 0)), row.error_count > 0 && h('div', { class: 'note' }, t.attempts(count(row.error_count)))),
    h('td', null, h('div', { class: 'row-buttons' },
      job?.history && button(t.history, () => history(name, job), { 'data-key': `history ${row.id}`, 'aria-label': t.historyOf(name) }),
      !row.isTransient && h('a', {
        href: `#/document/${encodeURIComponent(row.database)}/${encodeURIComponent(row.doc_id)}`, 'data-key': `edit ${row.id || row.doc_id}`,
        'aria-label': t.editName(name) }, t.edit),
      !row.isTransient && (row.state === 'crashing' || row.state === 'failed') && button(t.tryNow, () => tryNow(place, row), {
        'data-key': `try ${row.id || row.doc_id}`, 'aria-label': t.tryNowName(name) }),
      button(hasEnded(row) ? t.remove : t.stop, () => stop(place, row), {
        'data-key': `stop ${row.id || row.doc_id}`, 'aria-label': hasEnded(row) ? t.removeName(name) : t.stopName(name), class: 'danger-quiet' }))));
}

/** Written of found, and read; with the changes that are still to be checked. */
function progress(info) {
  if (info.docs_written === undefined) return '';
  return [h('div', null, `${count(info.docs_written)} / ${count(info.missing_revisions_found)}`),
    h('div', { class: 'note' }, t.read(count(info.docs_read), count(info.missing_revisions_found))),
    h('div', { class: 'note' }, t.checked(count(info.revisions_checked), count(info.revisions_checked + (info.changes_pending || 0))))];
}

/** An address without name and password, whatever the server sends. */
function withoutPassword(address) {
  const text = typeof address === 'string' ? address : String(address?.url ?? '');
  return text.replace(/^([a-z]+:\/\/)[^/]*@/i, '$1');
}

function pages(place, documents) {
  const move = skip => { place.skip = skip; location.hash = skip ? `#/replications?skip=${skip}` : '#/replications'; };
  return h('div', { class: 'table-foot' },
    place.skip > 0 && button(t.previous, () => move(Math.max(0, place.skip - PAGE)), { 'data-key': 'previous' }),
    place.skip + documents.docs.length < documents.total_rows && button(t.next, () => move(place.skip + PAGE), { 'data-key': 'next' }),
    h('span', { class: 'note' }, t.total(count(documents.total_rows))));
}

function history(name, job) {
  dialog(t.historyOf(name), () => h('ol', { class: 'plain-list history' }, job.history.map(item =>
    h('li', null, h('span', { class: 'mono' }, item.timestamp), ' ', h('strong', null, t.events[item.type] || item.type),
      item.reason && h('div', { class: 'bad' }, item.reason)))));
}

/** Saves the document again without the state that the server wrote into it: the server starts the replication anew. */
async function tryNow(place, row) {
  const address = documentPath(row.database, row.doc_id);
  try {
    const document = await get(address, { signal: place.signal });
    for (const name of Object.keys(document)) if (name.startsWith('_replication_')) delete document[name];
    await ask('PUT', address, bodyOf(document), { signal: place.signal });
    toast(t.triedNow(row.doc_id));
  } catch (error) {
    if (error.name !== 'AbortError') toast(error.message, 'error');
  }
  await refresh(place);
}

function stop(place, row) {
  const name = row.doc_id || row.id;
  const label = hasEnded(row) ? t.remove : t.stop, title = hasEnded(row) ? t.removeTitle(name) : t.stopTitle(name);
  confirm(title, row.isTransient ? t.stopTransient : t.stopWarning, label, async () => {
    if (row.isTransient) {
      await ask('POST', '/_replicate', { replication_id: row.id, cancel: true });
    } else {
      // The list of ids has the revision, and not the passwords of the document.
      const keys = await get(withQuery(path(row.database, '_all_docs'), { key: JSON.stringify(row.doc_id) }));
      const rev = keys.rows[0]?.value?.rev;
      if (rev) await ask('DELETE', withQuery(documentPath(row.database, row.doc_id), { rev }));
    }
    toast(hasEnded(row) ? t.removed(name) : t.stopped(name));
    await refresh(place);
  });
}
