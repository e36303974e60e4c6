// A document: its text, attachments, revisions and conflicts. `#/document/DB/ID`; `?rev=` shows a revision, `?view=merge` the conflicts.
import { ask, documentPath, downloadAddress, isAdministrator, path, session, swiftDatabase, withQuery } from '../api.js';
import { attachments, copyAttachment, listOf, saveFile } from '../parts/attachments.js';
import { differenceView, lines } from '../parts/difference.js';
import { mergeView } from '../parts/document-merge.js';
import { hasLeaves, lastContent, missingRevisions, readDocument, readLeaves } from '../parts/document-read.js';
import { PLACE_EXAMPLE } from '../parts/map-example.js';
import { purgeDialog } from '../parts/database-purge.js';
import { drafts, textPanel } from '../parts/document-text.js';
import { format } from '../parts/json.js';
import { TooLarge } from '../parts/bounded-read.js';
import { revisionTree } from '../parts/revision-tree.js';
import { mayAdminister, mayWrite as mayWriteIn } from '../parts/rights.js';
import { block, sameElsewhere } from '../parts/same.js';
import { swiftText } from '../parts/swift-literal.js';
import { button, confirm, errorState, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const t = texts.document;

/** The text of a new document. */
const EMPTY = '{\n  \n}';

export async function show(host, route, signal) {
  const [database, id = ''] = route.parts;
  if (!database) { location.hash = '#/databases'; return; }
  const place = { database, id, revision: route.query.get('rev') }, buttons = h('div', { class: 'buttons' }), body = h('div', { class: 'form' });
  host.replaceChildren(
    h('p', { class: 'crumbs' }, h('a', { href: `#/database/${encodeURIComponent(database)}` }, h('bdi', null, database))),
    h('div', { class: 'head' }, h('h1', null, h('bdi', null, id || t.newTitle)), buttons), body);
  if (!id) return showNew(body, buttons, place, route, signal);
  if (route.query.get('view') === 'merge') return showMerge(body, buttons, place, signal);
  await load(body, () => read(place, signal), found => found.isTooLarge ? tooLarge(place) : page(place, found, { buttons, signal }), signal);
}

const addressOf = (place, query) => withQuery(`#/document/${encodeURIComponent(place.database)}/${encodeURIComponent(place.id)}`, query || {});

const draftKeyOf = place => JSON.stringify([session.name, place.database, place.id]);

// ---- Reading

/** Reads what the page shows: a document, one of its revisions, or the last content of a deleted document. */
async function read(place, signal) {
  const rights = { mayWrite: await mayWrite(place, signal) };
  try {
    if (place.revision || !hasLeaves(place.id)) return { ...await readDocument(place.database, place.id, place.revision, signal), ...rights, isOld: Boolean(place.revision) };
    return { ...await readCurrent(place, signal), ...rights };
  } catch (error) {
    if (error instanceof TooLarge) return { isTooLarge: true };
    if (error.status === 404 && error.answer?.reason === 'missing') throw new Error(place.revision ? t.notStored : t.notFound);
    throw error;
  }
}

/** Only who administers a database writes its design documents. */
const mayWrite = (place, signal) => (place.id.startsWith('_design/') ? mayAdminister : mayWriteIn)(place.database, signal);

async function readCurrent(place, signal) {
  let leaves;
  try {
    leaves = await readLeaves(place.database, place.id, signal);
  } catch (error) {
    // All versions together are too large; this one may not be.
    if (error instanceof TooLarge) return readDocument(place.database, place.id, null, signal);
    throw error;
  }
  if (!leaves.length) throw new Error(t.notFound);
  const [winner, ...others] = leaves;
  if (!winner._deleted) return { ...winner, _conflicts: others.filter(leaf => !leaf._deleted).map(leaf => leaf._rev) };
  const last = await lastContent(place.database, place.id, winner._rev, signal);
  return { ...winner, text: last ? last.text : winner.text, deletion: winner, last };
}

function tooLarge(place) {
  return h('div', { class: 'state' }, h('p', null, texts.tooLarge), h('a', { class: 'as-button', href: downloadAddress(documentPath(place.database, place.id)), download: `${place.id}.json` }, t.download));
}

// ---- The page

async function page(place, found, { buttons, signal }) {
  const isReadOnly = found.isOld || !found.mayWrite, isDeleted = Boolean(found.deletion);
  const state = {
    ...place, revision: found._rev, saved: found.text, attachments: isDeleted ? {} : found._attachments, isReadOnly,
    draftKey: found.isOld ? '' : draftKeyOf(place), saveLabel: isDeleted ? t.bringBack : texts.save,
  };
  const files = h('section'), tree = h('section'), revision = h('code', null, state.revision);
  const text = await textPanel(state, {
    signal, saved: async () => {
      revision.textContent = state.revision;
      if (!isDeleted) return signal.aborted || sides();
      // The attachments follow also if the page is left meanwhile.
      await bringFilesBack(place, found.last, state.revision);
      if (!signal.aborted) dispatchEvent(new HashChangeEvent('hashchange'));
    },
  });
  const reread = async () => {
    const fresh = await readDocument(place.database, place.id, null, signal), wasChanged = text.isChanged();
    // Another text that was saved meanwhile is a conflict with the one in the editor; the next save finds it.
    if (wasChanged && fresh.text !== state.saved) return toast(texts.attachments.conflict, 'error');
    Object.assign(state, { revision: fresh._rev, saved: fresh.text, attachments: fresh._attachments });
    revision.textContent = fresh._rev;
    if (!wasChanged) text.replace(fresh.text);
    text.showDifference();
    sides();
  };
  const sides = () => {
    const shown = found.last ? { ...place, revision: found.last._rev, attachments: found.last._attachments } : { ...state };
    files.replaceChildren(h('h2', null, texts.attachments.title), attachments(shown, {
      isReadOnly: isReadOnly || isDeleted || !hasLeaves(place.id), signal, changed: () => reread().catch(error => toast(error.message, 'error')),
    }));
    if (hasLeaves(place.id)) showTree(tree, place, state.revision, signal);
  };
  sides();
  buttons.replaceChildren(...actions(place, state, found, text, signal));
  return [
    h('p', { class: 'note revision-line' }, t.revision, ' ', revision), banner(place, found, isDeleted),
    h('div', { class: 'document-columns' }, h('div', { class: 'document-text' }, text.element, found.isOld && !found._deleted && comparison(place, found, signal)), h('div', { class: 'document-side' }, files, tree, removal(place, state, found, signal))),
    sameElsewhere(() => requests(place, state), () => swift(place)),
  ];
}

function actions(place, state, found, text, signal) {
  if (found.isOld) return [h('a', { class: 'as-button', href: addressOf(place) }, t.toCurrent), button(t.useText, () => { drafts.set(draftKeyOf(place), { text: found.text }); location.hash = addressOf(place); })];
  return [
    !state.isReadOnly && text.save,
    place.id.startsWith('_design/') && !found.deletion && h('a', { class: 'as-button', href: `#/design/${encodeURIComponent(place.database)}/${encodeURIComponent(place.id.slice('_design/'.length))}` }, texts.design.functions),
    !found.deletion && found.mayWrite && button(t.duplicate, () => duplicate(place, state)),
    // The last one is where the page of a new document has its button: a second click there must do no harm.
    button(t.download, () => saveFile(`${place.id}.json`, `${format((found.last || found).node)}\n`, 'application/json')),
  ].filter(Boolean);
}

/** What removes the document, at the end of the page; `null` if the user may do nothing of it. */
function removal(place, state, found, signal) {
  const buttons = found.isOld ? [] : [
    !found.deletion && found.mayWrite && button(t.delete, () => remove(place, state, found), { class: 'danger-quiet' }),
    isAdministrator() && hasLeaves(place.id) && button(texts.purging.purge, () => purgeDialog(place.database, [place.id], signal, () => purged(place)), { class: 'danger-quiet' }),
  ].filter(Boolean);
  if (!buttons.length) return null;
  return h('section', { class: 'danger-part' }, h('h2', null, t.removal), h('p', { class: 'note' }, isAdministrator() && hasLeaves(place.id) ? t.removalNote : t.deleteNote), h('div', { class: 'buttons' }, buttons));
}

/** After a purge the document is gone, or its remaining versions are shown. */
function purged(place) {
  drafts.delete(draftKeyOf(place));
  if (location.hash === addressOf(place)) dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Opens a new document with the saved text, after a question if another new document is not saved yet. */
function duplicate(place, state) {
  const key = draftKeyOf({ ...place, id: '' });
  const open = () => {
    drafts.set(key, { text: state.saved, isOffered: true });
    if (Object.keys(state.attachments || {}).length) toast(t.withoutAttachments);
    location.hash = `#/document/${encodeURIComponent(place.database)}/`;
  };
  if (drafts.has(key)) confirm(t.duplicate, t.replacesDraft, t.duplicate, open);
  else open();
}

function banner(place, found, isDeleted) {
  if (found.isOld) return h('p', { class: 'warning' }, found._deleted ? t.isDeletion : t.isOld);
  if (!found.mayWrite) return h('p', { class: 'warning' }, t.onlyAdministrators);
  if (isDeleted) {
    return h('div', { class: 'warning' }, h('p', null, t.isDeleted), h('p', null, found.last ? t.lastContent(found.last._rev) : t.noContent),
      listOf(found.last?._attachments).length > 0 && h('p', null, t.filesComeBack(listOf(found.last._attachments).length)));
  }
  const conflicts = found._conflicts?.length;
  return conflicts ? h('div', { class: 'warning banner' }, h('span', null, t.hasConflicts(conflicts)), h('a', { class: 'as-button', href: addressOf(place, { view: 'merge' }) }, t.toMerge)) : null;
}

/** Copies the attachments of the last content to the revision that brought the document back. */
async function bringFilesBack(place, last, revision) {
  for (const file of listOf(last?._attachments)) {
    try {
      revision = await copyAttachment({ ...place, revision }, file.name, last._rev);
    } catch {
      toast(t.fileNotBack(file.name), 'error');
    }
  }
}

function showTree(host, place, shown, signal) {
  const content = h('div');
  host.replaceChildren(h('h2', null, texts.revisions.title), content);
  return load(content, async () => {
    const leaves = await readLeaves(place.database, place.id, signal);
    return { leaves, missing: await missingRevisions(place.database, place.id, leaves, signal) };
  }, ({ leaves, missing }) => revisionTree(leaves, {
    shown, missing, address: revision => revision === leaves[0]._rev ? addressOf(place) : addressOf(place, { rev: revision }),
  }), signal);
}

function remove(place, state, found) {
  // A version in conflict becomes the document when the winner is deleted, so all are deleted.
  const others = found._conflicts || [];
  confirm(t.deleteTitle(place.id), others.length ? t.deleteAllWarning(others.length + 1) : t.deleteWarning, t.delete, async () => {
    await ask('DELETE', withQuery(documentPath(place.database, place.id), { rev: state.revision }));
    if (others.length) await ask('POST', path(place.database, '_bulk_docs'), { docs: others.map(rev => ({ _id: place.id, _rev: rev, _deleted: true })) });
    toast(t.wasDeleted(place.id));
    location.hash = `#/database/${encodeURIComponent(place.database)}`;
  });
}

/** A part that can be opened, with the difference between an older revision and the current one. */
function comparison(place, found, signal) {
  const content = h('div');
  const details = h('details', { class: 'same' }, h('summary', null, t.toCompare), content);
  details.addEventListener('toggle', () => {
    if (details.open) load(content, () => readCurrent(place, signal), current => current.text === found.text ? h('p', { class: 'note' }, t.isSame) : differenceView(lines(found.text, current.text)), signal);
  });
  return details;
}

// ---- A new document, and conflicts

async function showNew(host, buttons, place, route, signal) {
  try {
    const draftKey = draftKeyOf(place);
    const text = await textPanel({ ...place, id: '', revision: null, saved: EMPTY, attachments: {}, draftKey, saveLabel: t.create }, {
      signal, saved: id => { if (!signal.aborted) location.hash = addressOf({ ...place, id }); },
    });
    buttons.replaceChildren(text.save);
    const example = JSON.stringify(PLACE_EXAMPLE, null, 2);
    host.replaceChildren(text.element, h('details', { class: 'same' }, h('summary', null, t.placeExample), h('div', { class: 'same-content' }, h('p', { class: 'note' }, t.placeExampleNote), block('JSON', example), h('div', { class: 'buttons' }, button(t.useExample, () => text.replace(example))))), sameElsewhere(
      [{ method: 'PUT', address: documentPath(place.database, 'ID'), body: { field: 'value' } }],
      `${swiftDatabase(place.database)}\nlet created = try await database.create(Document(["field": "value"]))`));
  } catch (error) {
    host.replaceChildren(errorState(error, () => showNew(host, buttons, place, route, signal)));
  }
}

async function showMerge(host, buttons, place, signal) {
  buttons.replaceChildren(h('a', { class: 'as-button', href: addressOf(place) }, t.toDocument));
  return mergeView(host, { ...place, mayWrite: await mayWrite(place, signal) }, () => { if (!signal.aborted) location.hash = addressOf(place); }, signal);
}

// ---- Elsewhere

function requests(place, state) {
  const address = documentPath(place.database, place.id);
  return [
    { address: withQuery(address, state.isReadOnly ? { rev: state.revision } : {}) },
    ...(hasLeaves(place.id) ? [{ address: withQuery(address, { open_revs: 'all', revs: true }) }] : []),
    ...(state.isReadOnly ? [] : [{ method: 'DELETE', address: withQuery(address, { rev: state.revision }) }]),
  ];
}

const swift = place => `${swiftDatabase(place.database)}\nlet document = try await database.document(${swiftText(place.id)})`;
