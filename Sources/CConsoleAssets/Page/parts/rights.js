// The rights of the user in a database.
import { get, isAdministrator, path, session } from '../api.js';

/** Whether the user administers the database: as an administrator of the server, or by its security. */
export async function mayAdminister(database, signal) {
  if (isAdministrator()) return true;
  try {
    const { admins } = await get(path(database, '_security'), { signal });
    return Boolean(admins?.names?.includes(session.name) || admins?.roles?.some(role => session.roles.includes(role)));
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return false;
  }
}
