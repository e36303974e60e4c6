// The rights of the user in a database, as the server names them: `read`, `write`, `administrate`.
import { get, isAdministrator, path } from '../api.js';

/** The rights of the user, from the information about a database. */
export const rightsOf = info => info.godwit.rights;

async function has(right, database, signal) {
  if (isAdministrator()) return true;
  try {
    return rightsOf(await get(path(database), { signal })).includes(right);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return false;
  }
}

/** Whether the user may change design documents and permissions. */
export const mayAdminister = (database, signal) => has('administrate', database, signal);

/** Whether the user may write documents. */
export const mayWrite = (database, signal) => has('write', database, signal);
