// The table of the folders and objects whose names begin with a text.
import { get } from '../api.js';
import { bytes, button, confirm, h, moment, toast } from '../view.js';
import { texts } from '../texts.js';
import { deleteObject } from './objects-delete.js';
import { downloadButton } from './objects-download.js';
import { showObject } from './objects-one.js';
import { DELIMITER, PAGE, listAddress, pageAddress, secondsOf } from './objects-paths.js';
import { pagedTable } from './table.js';

const t = texts.objects;

/**
 * The table.
 *
 * @param place `{ account, container, folder, isPublic, signal }`.
 * @param chosen The selection of objects.
 * @param changed Called after a deletion.
 */
export function objectTable(place, prefix, chosen, changed) {
  const read = async cursor => {
    const found = await get(listAddress(place, { delimiter: DELIMITER, prefix: prefix || undefined, limit: PAGE + 1, marker: cursor ?? undefined }), { signal: place.signal });
    const rows = found.slice(0, PAGE);
    return { rows, next: found.length > PAGE ? nameOf(rows.at(-1)) : null };
  };
  const isFolder = row => row.subdir !== undefined;
  return pagedTable([
    { title: t.name, cell: row => isFolder(row) ? folderLink(place, row.subdir) : objectCell(place, row, chosen) },
    { title: t.size, isNumber: true, cell: row => isFolder(row) ? '' : bytes(row.bytes) },
    { title: t.type, cell: row => isFolder(row) ? t.folder : h('bdi', null, row.content_type) },
    { title: t.changed, cell: row => isFolder(row) ? '' : h('span', { class: 'nowrap' }, moment(secondsOf(row.last_modified))) },
    { title: t.actions, cell: row => isFolder(row) ? '' : h('div', { class: 'row-buttons' },
      downloadButton(place, row), button(t.delete, () => remove(place, row.name, changed), { class: 'danger-quiet', 'aria-label': t.deleteName(row.name) })) },
  ], read, { caption: t.objects, empty: prefix === place.folder ? t.noObjects : t.noneFound(prefix.slice(place.folder.length)) });
}

const nameOf = row => row.subdir ?? row.name;

/** The name in its folder. An object with the name of the folder itself has its full name. */
const shortName = (place, name) => name.slice(place.folder.length) || name;

function folderLink(place, name) {
  return h('a', { class: 'folder', href: pageAddress(place.account, place.container, name) }, h('bdi', null, shortName(place, name)));
}

function objectCell(place, row, chosen) {
  return h('div', { class: 'pick' }, chosen.box(row.name), button(h('bdi', null, shortName(place, row.name)), () => showObject(place, row), { class: 'link' }));
}

function remove(place, name, changed) {
  confirm(t.deleteTitle(name), t.deleteWarning, t.delete, async () => {
    await deleteObject(place, name);
    toast(t.wasDeleted(name));
    changed();
  });
}
