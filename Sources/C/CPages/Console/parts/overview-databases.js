// The databases of the server in figures: how many, their documents and conflicts, and the replications between them.
import { ask, get, withQuery } from '../api.js';
import { count, h } from '../view.js';
import { texts } from '../texts.js';
import { conflictsOf, conflictsSum, conflictWords } from './conflict-count.js';

/** The databases whose documents are counted, and those of a request. */
const DATABASES_MAX = 300, REQUEST_MAX = 100;
const JOBS_MAX = 300;
const t = texts.overview;

/**
 * Reads `{ infos, number, hasMore, running, failing, isCut }`: the databases, their number, the number of replications that run,
 * and the jobs whose last attempt failed.
 */
export async function readDatabases(signal) {
  const [names, jobs, statistics] = await Promise.all([
    get(withQuery('/_all_dbs', { limit: DATABASES_MAX + 1 }), { signal }), get(withQuery('/_scheduler/jobs', { limit: JOBS_MAX }), { signal }),
    get('/_node/_local/_stats/godwit', { signal })]);
  const hasMore = names.length > DATABASES_MAX;
  const infos = [];
  for (let i = 0; i < Math.min(names.length, DATABASES_MAX); i += REQUEST_MAX) {
    const keys = names.slice(i, Math.min(i + REQUEST_MAX, DATABASES_MAX));
    infos.push(...(await ask('POST', '/_dbs_info', { keys }, { signal })).filter(item => item.info).map(item => item.info));
  }
  return {
    infos, number: statistics.databases?.value ?? null, hasMore,
    running: jobs.jobs.filter(job => !isFailing(job)).length, failing: jobs.jobs.filter(isFailing), isCut: jobs.total_rows > JOBS_MAX,
  };
}

/** Whether the last attempt of a job failed. */
export const isFailing = job => job.history?.[0]?.type === 'crashed';

const sum = (infos, name) => infos.reduce((total, info) => total + info[name], 0);
const orMore = (number, isMore) => isMore ? t.orMore(count(number)) : count(number);

/** The cards of the databases and replications. `card` makes one; `rate` is the number of replicated documents a second. */
export function databaseCards({ infos, number, hasMore, running, isCut }, rate, card) {
  const first = hasMore && t.firstDatabases(DATABASES_MAX), conflicts = conflictsSum(infos);
  return [
    card(h('a', { href: '#/databases' }, texts.databases.title), number === null ? orMore(infos.length, hasMore) : count(number),
      !hasMore && t.withSystem(count(infos.filter(info => info.db_name.startsWith('_')).length))),
    card(texts.databases.documents, count(sum(infos, 'doc_count')), first || t.deletedToo(count(sum(infos, 'doc_del_count')))),
    conflicts.isKnown && card(t.conflicts, orMore(conflicts.total, conflicts.isMore), first),
    card(h('a', { href: '#/replications' }, t.running), orMore(running, isCut), rate !== null && t.replicated(rate < 10 && rate % 1 ? rate.toFixed(1) : count(Math.round(rate)))),
  ].filter(Boolean);
}

/** The maximum number of databases that a warning names. */
const NAMED_MAX = 10;

/** The warning about conflicts, with links to those with most of them; `null` without any. */
export function conflictsWarning(infos) {
  const list = infos.filter(info => conflictsOf(info) > 0).sort((a, b) => conflictsOf(b) - conflictsOf(a));
  if (!list.length) return null;
  const links = list.slice(0, NAMED_MAX).flatMap((info, i) => [i ? ', ' : ' ',
    h('a', { href: `#/database/${encodeURIComponent(info.db_name)}?tab=conflicts` }, h('bdi', null, info.db_name)), ` (${conflictWords(conflictsOf(info))})`]);
  return h('p', { class: 'warning' }, t.conflictsWait, links, list.length > NAMED_MAX && ` ${texts.database.more(list.length - NAMED_MAX)}`);
}

/** The warning about replications that fail, with their reasons and a link to them; `null` without any. */
export function replicationsWarning(failing) {
  if (!failing.length) return null;
  const items = failing.slice(0, NAMED_MAX).map(job => h('li', null, h('bdi', null, job.doc_id || job.id), ': ', String(job.history[0].reason ?? '')));
  return h('div', { class: 'warning' }, h('a', { href: '#/replications' }, t.replicationsFail(failing.length)),
    h('ul', { class: 'plain-list' }, items), failing.length > NAMED_MAX && texts.database.more(failing.length - NAMED_MAX));
}

/** What is wrong with the backups, as `{ words, isNote }`; `null` if nothing is. */
export function backupState(answer, now = Date.now() / 1000) {
  if (!answer) return null;
  const { backups, every_hours: hours, running, failure } = answer, complete = backups.find(backup => backup.ended && !backup.error);
  if (failure) return { words: t.backupFailed(failure.reason) };
  if (complete?.failures > 0) return { words: t.backupFailures(count(complete.failures)) };
  if (hours > 0 && complete && now - complete.ended > 2 * hours * 3600) return { words: t.backupOld(Math.floor((now - complete.ended) / 3600), hours) };
  if (!complete && !running) return { words: t.noBackup, isNote: true };
  return null;
}
