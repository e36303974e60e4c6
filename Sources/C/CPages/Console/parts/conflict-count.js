// The number of documents in conflict, which the information about a database has.
import { count, h } from '../view.js';
import { texts } from '../texts.js';

/** The server counts no more than this. */
const COUNTED_MAX = 10_000;

/** The number of documents in conflict; `undefined` from a server that does not count them. */
export const conflictsOf = info => info?.godwit?.conflicts;

/** The sum of the numbers, and whether there may be more. */
export function conflictsSum(infos) {
  const numbers = infos.map(conflictsOf).filter(number => number !== undefined);
  return { isKnown: numbers.length > 0, total: numbers.reduce((sum, number) => sum + number, 0), isMore: numbers.some(number => number >= COUNTED_MAX) };
}

export const conflictWords = number => number >= COUNTED_MAX ? texts.overview.orMore(count(number)) : count(number);

/** The number, which leads to the list of the conflicts; empty if it is not known. */
export function conflictsLink(name, info) {
  const number = conflictsOf(info);
  if (!number) return number === 0 ? '0' : '';
  return h('a', { href: `#/database/${encodeURIComponent(name)}?tab=conflicts`, 'aria-label': texts.databases.conflictsOf(name, conflictWords(number)) }, conflictWords(number));
}
