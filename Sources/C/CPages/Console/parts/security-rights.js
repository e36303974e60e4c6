// The rights in a security object: who only reads, and a right that is added. What else is in the object stays.

const READER = '_reader';

/** Names or roles, one in a line: they may contain commas and spaces. */
export const lines = list => (list || []).join('\n');
export const entries = text => text.split('\n').map(line => line.trim()).filter(Boolean);

/** Whether everyone may read and write: nothing names who may. */
export const isOpen = object => !object.cloudant && !object.godwit?.roles && !object.members?.names?.length && !object.members?.roles?.length;

const granted = (object, kind) => kind === 'names' ? object.cloudant : object.godwit?.roles;

/** The names or roles that have the right to read, and no other. */
export const readersOf = (object, kind) => Object.entries(granted(object, kind) || {})
  .filter(([, rights]) => rights.length === 1 && rights[0] === READER).map(([name]) => name);

/** The object with the rights `changed` of names or roles. An object with no rights stays: without it the database could be open to everyone. */
function withGranted(object, kind, changed) {
  return kind === 'names' ? { ...object, cloudant: changed } : { ...object, godwit: { ...object.godwit, roles: changed } };
}

/** The object in which a name has these rights too. */
export function withRights(object, name, rights) {
  const before = object.cloudant || {};
  const all = [...new Set([...(Object.hasOwn(before, name) ? before[name] : []), ...rights])];
  return withGranted(object, 'names', Object.fromEntries([...Object.entries(before).filter(([other]) => other !== name), [name, all]]));
}

/** The object in which exactly these names or roles only read; those with other rights keep them, and read too. */
export function withReaders(object, kind, list) {
  const before = granted(object, kind), readers = readersOf(object, kind);
  if (!before && !list.length) return object;
  const kept = Object.entries(before || {}).filter(([name]) => !readers.includes(name) || list.includes(name))
    .map(([name, rights]) => [name, list.includes(name) && !rights.includes(READER) ? [...rights, READER] : rights]);
  const added = list.filter(name => !kept.some(([other]) => other === name)).map(name => [name, [READER]]);
  return withGranted(object, kind, Object.fromEntries([...kept, ...added]));
}
