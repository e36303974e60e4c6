// The database that was opened last: pages that need a database begin with it.
import { session } from '../api.js';

let last = { user: null, name: '' };

/** Notes that a database was opened. It is known until the console is closed, or another user logs in. */
export function noteDatabase(name) { last = { user: session.name, name }; }

/** The name, or an empty text. */
export const lastDatabase = () => last.user === session.name ? last.name : '';

/** Forgets a database that does not exist any more. */
export function forgetDatabase(name) {
  if (last.name === name) last = { user: null, name: '' };
}
