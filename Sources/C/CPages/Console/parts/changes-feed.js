// Follows the changes of a database or of the server: long polls, one after the other.
import { ask, get, path, withQuery } from '../api.js';
import { count } from '../view.js';
import { texts } from '../texts.js';
import { askTimed } from './bounded-read.js';

const FIRST = 50;
const PAGE = 200;
/** With more changes than this to come, the feed begins again with the newest ones. */
const BEHIND_MAX = 1000;
const WAIT_MILLISECONDS = 25_000;
const PAUSE_MILLISECONDS = 400;
const RETRY_MILLISECONDS = 3000;
const t = texts.changes;

const sleep = (milliseconds, signal) => new Promise((resolve, reject) => {
  const end = () => { clearTimeout(timer); reject(new DOMException('', 'AbortError')); };
  const timer = setTimeout(() => { signal.removeEventListener('abort', end); resolve(); }, milliseconds);
  signal.addEventListener('abort', end, { once: true });
});

/** Repeats a poll until `signal`. Without the server it tries again; other errors end it. */
async function repeat(poll, events, signal) {
  for (;;) {
    try {
      await poll();
      await sleep(PAUSE_MILLISECONDS, signal);
    } catch (error) {
      if (error.name === 'AbortError' || !(error.status === 0 || error.status >= 500)) throw error;
      events.state(t.lost);
      await sleep(RETRY_MILLISECONDS, signal);
    }
  }
}

/**
 * Follows a database. `events` has `begin(rows)` with the newest changes, `add(rows)` with further ones, both in the order
 * of time, and `state(words)`.
 */
export async function followDatabase(database, selector, events, signal) {
  const changes = (parameters, isLong) => {
    const address = withQuery(path(database, '_changes'), { ...parameters, ...(selector && { filter: '_selector' }) });
    return isLong || !selector ? ask(selector ? 'POST' : 'GET', address, selector && { selector }, { signal })
      : askTimed('POST', address, { selector }, { signal }).then(result => result.answer);
  };
  let since = null, words = t.live;
  await repeat(async () => {
    if (since === null) {
      since = (await get(path(database), { signal })).update_seq;
      const first = await changes({ descending: true, limit: FIRST }, false);
      events.begin(first.results.reverse());
      events.state(words);
      words = t.live;
    }
    const answer = await changes({ feed: 'longpoll', since, limit: PAGE, timeout: WAIT_MILLISECONDS }, true);
    since = answer.last_seq;
    const arrived = Date.now();
    events.add(answer.results.map(change => ({ ...change, arrived })));
    events.state(t.live);
    if (answer.pending > BEHIND_MAX) {
      words = t.leftOut(count(answer.pending));
      since = null;
    }
  }, events, signal);
}

/** Follows the creations, updates and deletions of all databases, from now on. */
export async function followServer(events, signal) {
  let since = 'now';
  events.begin([]);
  events.state(t.live);
  await repeat(async () => {
    const answer = await get(withQuery('/_db_updates', { feed: 'longpoll', since, limit: PAGE, timeout: WAIT_MILLISECONDS }), { signal });
    since = answer.last_seq;
    const arrived = Date.now();
    events.add(answer.results.map(change => ({ ...change, arrived })));
    events.state(t.live);
  }, events, signal);
}
