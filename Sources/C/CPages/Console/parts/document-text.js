// The text of a document: editor, difference to what is saved, saving, and what follows when someone else saved in between.
import { ask, documentPath, path } from '../api.js';
import { actionButton, button, dialog, field, h, load, toast } from '../view.js';
import { texts } from '../texts.js';
import { besideView, differenceView, lines, summary } from './difference.js';
import { readDocument } from './document-read.js';
import { editor } from './editor.js';
import { compact, format, member, parse, plain, valueOf, withMembers } from './json.js';
import { DOCUMENT_BYTES_MAX } from './bounded-read.js';
import { merge, resultOf } from './merge.js';

const DIFFERENCE_MILLISECONDS = 300;
const t = texts.document;

/**
 * Texts that were not saved when their page was left, by key: `{ text, revision, base }`, the base being the saved text of the
 * revision that was edited; `isOffered` for a text that a button put there. They are kept until the console is closed or loaded again.
 */
export const drafts = new Map();

/**
 * The editor of a document.
 *
 * @param state `{ database, id, revision, saved, attachments, draftKey, saveLabel }`: what is saved, the id being empty for a
 *   new document. Saving changes it.
 * @param options `saved(id)` is called after a save, `signal`.
 * @returns `{ element, save, isChanged(), replace(text), showDifference() }`, where `save` is the button that saves.
 */
export async function textPanel(state, options) {
  const isNew = !state.id;
  const name = isNew && h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const draft = drafts.get(state.draftKey);
  // A text that was made from an older revision is still one of that revision: a save finds the conflict.
  if (draft && draft.revision !== undefined && draft.revision !== state.revision) Object.assign(state, { revision: draft.revision, saved: draft.base });
  const differences = differencePart();
  const save = actionButton(state.saveLabel, () => saveText(), { class: 'primary', title: t.saveKeys });
  let timer = 0, isSaving = false;
  const isChanged = () => panel.text() !== state.saved;
  const showDifference = () => isNew || differences.show(state.saved, panel.text());
  const panel = await editor({
    label: t.text, text: draft?.text ?? state.saved, isReadOnly: state.isReadOnly,
    onChange: () => {
      clearTimeout(timer);
      timer = setTimeout(showDifference, DIFFERENCE_MILLISECONDS);
    },
  });

  async function saveText() {
    if (isSaving) return;
    isSaving = true;
    try {
      const node = panel.check(), sent = panel.text();
      const answer = await write(state, node, name ? name.value.trim() : state.id);
      Object.assign(state, { saved: sent, revision: answer.rev });
      toast(t.wasSaved);
      if (options.signal.aborted) {
        if (drafts.get(state.draftKey)?.text === sent) drafts.delete(state.draftKey);
      } else {
        if (panel.text() === sent) drafts.delete(state.draftKey);
        showDifference();
      }
      await options.saved(answer.id);
    } catch (error) {
      if (error.status !== 409) throw error;
      if (isNew) throw new Error(t.idTaken);
      if (options.signal.aborted) throw new Error(t.conflictAway(state.id));
      conflictDialog(state, panel, showDifference, options.signal);
    } finally {
      isSaving = false;
    }
  }

  if (!state.isReadOnly) saveKeys(save, options.signal);
  keepDraft(state, isChanged, () => panel.text(), options.signal);
  showDifference();
  // A text that a button put there is not one that was forgotten.
  const kept = draft !== undefined && draft.text !== state.saved && !draft.isOffered && !state.isReadOnly;
  const element = h('div', { class: 'document-text' },
    name && field(t.id, name, t.idNote),
    kept && keptNote(() => panel.setText(state.saved), isNew ? t.newDraftKept : t.draftKept, isNew ? t.newDraftDiscard : t.draftDiscard),
    panel.element, differences.element);
  return { element, save, isChanged, showDifference, replace: text => panel.setText(text) };
}

/** Ctrl-S and Cmd-S save, wherever the focus is, if no dialog is open. */
export function saveKeys(save, signal) {
  document.addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's' || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    if (!save.disabled && save.isConnected) save.click();
  }, { signal });
}

/** A note that the editor has a text that was not saved, with a button that discards it. */
export function keptNote(discard, words = t.draftKept, label = t.draftDiscard) {
  const note = h('div', { class: 'warning banner' }, h('span', null, words), button(label, () => { discard(); note.remove(); }));
  return note;
}

/** Keeps an unsaved text when the page is left, and lets the browser ask before the console is closed. */
export function keepDraft(state, isChanged, text, signal) {
  if (state.isReadOnly) return;
  addEventListener('beforeunload', event => { if (isChanged()) event.preventDefault(); }, { signal });
  signal.addEventListener('abort', () => {
    if (isChanged()) drafts.set(state.draftKey, { text: text(), revision: state.revision, base: state.saved });
    else drafts.delete(state.draftKey);
  });
}

/** A part with the difference between two texts; it is hidden if they are equal. */
export function differencePart() {
  const title = h('summary'), content = h('div');
  const element = h('details', { class: 'same', open: true, hidden: true }, title, content);
  return {
    element,
    show(before, after) {
      element.hidden = before === after;
      if (element.hidden) return content.replaceChildren();
      const list = lines(before, after);
      title.textContent = t.changes(summary(list));
      content.replaceChildren(differenceView(list));
    },
  };
}

// ---- Saving

/** The object as it is sent: with the id, the revision, and the attachments of the saved revision. */
function complete(state, node, id) {
  const own = valueOf(member(node, '_id'));
  if (state.id && own !== undefined && own !== state.id) throw new Error(t.otherID);
  const name = id || own;
  if (name !== undefined && (typeof name !== 'string' || !name)) throw new Error(t.noID);
  const stubs = Object.keys(state.attachments || {}).length ? plain(state.attachments) : undefined;
  return {
    id: name,
    node: withMembers(node, {
      ...(name === undefined ? {} : { _id: plain(name) }), _rev: state.revision ? plain(state.revision) : undefined,
      ...(member(node, '_attachments') || !stubs ? {} : { _attachments: stubs }),
    }),
  };
}

async function write(state, node, id) {
  const { id: name, node: whole } = complete(state, node, id);
  const body = new Blob([compact(whole)], { type: 'application/json' });
  if (body.size > DOCUMENT_BYTES_MAX) throw new Error(texts.tooLarge);
  return name === undefined ? ask('POST', path(state.database), body) : ask('PUT', documentPath(state.database, name), body);
}

// ---- Someone else saved in between

function conflictDialog(state, panel, showDifference, signal) {
  const element = dialog(t.conflictTitle, close => {
    const host = h('div', { class: 'form' });
    load(host, () => newest(state, signal), newer => (newer ? newerView : deletedView)(state, panel, newer, () => { showDifference(); close(); }), signal);
    return host;
  }, { class: 'wide' });
  signal.addEventListener('abort', () => element.close());
}

/** The newest revision of a document; `null` if it was deleted. */
export async function newest(state, signal) {
  try {
    return await readDocument(state.database, state.id, null, signal);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

function deletedView(state, panel, newer, close) {
  return [h('p', null, t.conflictDeleted), h('div', { class: 'buttons' },
    button(t.saveAgain, () => { Object.assign(state, { revision: null, attachments: {}, saved: '{}' }); close(); }, { class: 'primary' }),
    h('span', { class: 'note' }, t.withoutAttachments))];
}

function newerView(state, panel, newer, close) {
  const take = text => {
    const own = panel.text();
    Object.assign(state, { revision: newer._rev, saved: newer.text, attachments: newer._attachments });
    if (text !== own) panel.setText(text);
    close();
  };
  const both = combined(state.saved, panel.text(), newer.text);
  return [
    h('p', null, t.conflictText(newer._rev)), besideView(lines(newer.text, panel.text()), t.newer, t.own),
    both === null && h('p', { class: 'note' }, t.cannotCombine),
    h('div', { class: 'buttons' },
      both !== null && button(t.combine, () => take(both), { class: 'primary' }),
      button(t.keepOwn, () => take(panel.text())), button(t.takeNewer, () => take(newer.text))),
  ];
}

/** The changes of both texts together; `null` if both changed the same field. */
function combined(base, own, newer) {
  try {
    const choices = [];
    const part = merge(parse(base), [parse(own), parse(newer)], choices);
    return choices.length ? null : format(resultOf(part));
  } catch {
    return null;
  }
}
