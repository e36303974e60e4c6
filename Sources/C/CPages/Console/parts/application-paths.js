// Paths of the routes of applications, and passwords.
import { segment } from '../api.js';

const PASSWORD_LENGTH = 20;
const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** The path of an application, or of a route in it. */
export function applicationPath(id, ...parts) {
  return ['/_apps', ...[id, ...parts].map(segment)].join('/');
}

/** The address of the page of a user. */
export const userAddress = (id, name) => `#/applications/${encodeURIComponent(id)}/${encodeURIComponent(name)}`;

/** A new random password, without letters that look alike. */
export function newPassword() {
  // Values that would make some letters more frequent are left out.
  const limit = 256 - 256 % LETTERS.length;
  let text = '';
  while (text.length < PASSWORD_LENGTH) {
    for (const value of crypto.getRandomValues(new Uint8Array(PASSWORD_LENGTH))) {
      if (value < limit && text.length < PASSWORD_LENGTH) text += LETTERS[value % LETTERS.length];
    }
  }
  return text;
}
