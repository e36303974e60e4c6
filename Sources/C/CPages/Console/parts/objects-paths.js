// The addresses of the object storage: routes for administrators, paths of Swift's API, and this page's own addresses.
import { segment, withQuery } from '../api.js';

export const ACCOUNTS = '/_godwit/objects';
/** The rows of a page of a list. */
export const PAGE = 100;
/** What separates folders in the names of objects. */
export const DELIMITER = '/';

/** The route of an account, and of its parts. */
export const accountRoute = (name, ...parts) => [ACCOUNTS, segment(name), ...parts].join('/');

/** The path of an account, of a container, or of an object in Swift's API. Slashes of an object's name stay. */
export function storagePath(account, container, object) {
  const parts = ['/v1', segment(`AUTH_${account}`)];
  if (container !== undefined) parts.push(segment(container));
  if (object !== undefined) parts.push(object.split(DELIMITER).map(segment).join('/'));
  return parts.join('/');
}

/** The path of the list of an account's containers, or of a container's objects. */
export const listAddress = ({ account, container }, parameters) => withQuery(storagePath(account, container), { format: 'json', ...parameters });

/** The address in the console of all accounts, of an account, of a container, or of a folder in it. */
export function pageAddress(account, container, folder) {
  const parts = ['#/x/objects', account, container].filter(part => part !== undefined);
  const address = parts.map((part, i) => i ? encodeURIComponent(part) : part).join('/');
  return folder ? `${address}?folder=${encodeURIComponent(folder)}` : address;
}

/** The seconds since 1970 of a time in a list, which is UTC and says so nowhere. */
export const secondsOf = time => Date.parse(`${time}Z`) / 1000;
