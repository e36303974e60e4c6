// Deletes objects.
import { send } from '../api.js';
import { storagePath } from './objects-paths.js';

const NOT_FOUND = 404;

/** Deletes an object. One that does not exist any more is no error. */
export async function deleteObject({ account, container }, name) {
  try {
    await send('DELETE', storagePath(account, container, name));
  } catch (error) {
    if (error.status !== NOT_FOUND) throw error;
  }
}
