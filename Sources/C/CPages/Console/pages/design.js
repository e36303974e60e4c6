// A design document: its functions, edited and tried one by one. `#/design/DB/NAME`; `?function=` is the chosen one. `#/design/DB/` makes one.
import { documentPath, downloadAddress, get, path, session, swiftDatabase, withQuery } from '../api.js';
import { TooLarge } from '../parts/bounded-read.js';
import { addDialog, removeDialog, renameDialog } from '../parts/design-dialogs.js';
import { functionList, keyOf, OPTIONS } from '../parts/design-list.js';
import { at, entries, functionPath, isText, readable } from '../parts/design-model.js';
import { exists, showNew } from '../parts/design-new.js';
import { entryButtons, entryEditors, optionsPanel } from '../parts/design-panel.js';
import { conflictDialog, lineOf, placeOf, shortReason, wholeOf, write } from '../parts/design-save.js';
import { readDocument } from '../parts/document-read.js';
import { differencePart, drafts, keepDraft, keptNote, saveKeys } from '../parts/document-text.js';
import { format, member, parse, plain, valueOf } from '../parts/json.js';
import { rawValue } from '../parts/query-nodes.js';
import { mayAdminister } from '../parts/rights.js';
import { sameElsewhere } from '../parts/same.js';
import { swiftText } from '../parts/swift-literal.js';
import { trialPart, trialValues } from '../parts/trial.js';
import { actionButton, button, emptyState, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const PREFIX = '_design/';
const DIFFERENCE_MILLISECONDS = 300, FOCUS_MILLISECONDS = 60;
const EMPTY = '{}';
const SCRIPT = 'javascript';
const t = texts.design;

export async function show(host, route, signal) {
  const [database, name = ''] = route.parts;
  if (!database) { location.hash = '#/databases'; return; }
  const buttons = h('div', { class: 'buttons' }), body = h('div', { class: 'stack' });
  host.replaceChildren(
    h('p', { class: 'crumbs' }, h('a', { href: `#/database/${encodeURIComponent(database)}?tab=design` }, h('bdi', null, database))),
    h('div', { class: 'head' }, h('h1', null, h('bdi', null, name ? PREFIX + name : t.create)), buttons), body);
  if (!name) {
    return showNew(body, database, (wanted, content) => {
      drafts.set(draftKey(database, PREFIX + wanted), { text: format(plain(content)), revision: null, base: EMPTY });
      location.hash = addressOf(database, wanted);
    }, signal);
  }
  await load(body, () => read(database, name, signal), found => {
    if (found.isMissing) return emptyState(texts.document.notFound, h('a', { class: 'as-button', href: addressOf(database, '') }, t.create));
    if (found.isTooLarge) return emptyState(texts.tooLarge, h('a', { class: 'as-button', href: downloadAddress(documentPath(database, PREFIX + name)), download: `${name}.json` }, texts.document.download));
    return page(found, { route, buttons, signal });
  }, signal);
}

const addressOf = (database, name, query) => withQuery(`#/design/${encodeURIComponent(database)}/${encodeURIComponent(name)}`, query || {});

const draftKey = (database, id) => JSON.stringify([session.name, database, id]);

const languageOf = node => valueOf(member(node, 'language')) ?? SCRIPT;

// ---- Reading

async function read(database, name, signal) {
  const id = PREFIX + name, draft = drafts.get(draftKey(database, id));
  const [info, mayAdmin, isStored] = await Promise.all([get(path(database), { signal }), mayAdminister(database, signal), exists(database, name, signal)]);
  const rights = { isPartitioned: Boolean(info.props?.partitioned), mayAdmin };
  if (isStored) {
    try {
      const found = await readDocument(database, id, null, signal);
      return { database, id, revision: found._rev, saved: found.text, attachments: found._attachments, conflicts: found._conflicts?.length || 0, draft, ...rights };
    } catch (error) {
      if (error instanceof TooLarge) return { isTooLarge: true };
      throw error;
    }
  }
  return draft && mayAdmin ? { database, id, revision: null, saved: EMPTY, attachments: {}, draft, ...rights } : { isMissing: true };
}

/** The state of the page: what is saved, and the document as it is in the editors. */
function stateOf(found) {
  const { draft, mayAdmin, isPartitioned, ...state } = found;
  let isDraftWrong = false, text = found.saved;
  if (draft && mayAdmin) {
    try {
      if (parse(draft.text).kind !== 'object') throw new Error();
      text = draft.text;
      // A text that was made from an older revision is still one of that revision: a save finds the conflict.
      if (draft.revision !== undefined && draft.revision !== state.revision) Object.assign(state, { revision: draft.revision, saved: draft.base, ...(draft.revision === null ? { attachments: {} } : {}) });
    } catch { isDraftWrong = true; }
  }
  const node = parse(text);
  return { ...state, draftKey: draftKey(state.database, state.id), mayAdmin, isReadOnly: !mayAdmin || languageOf(node) !== SCRIPT, isDraftWrong, node, savedNode: parse(state.saved) };
}

// ---- The page

async function page(found, { route, buttons, signal }) {
  const state = stateOf(found), list = h('nav', { class: 'design-list', 'aria-label': t.functions }), panel = h('div', { class: 'design-panel stack' });
  const differences = differencePart(), refusal = h('div', { class: 'refusal', role: 'alert', hidden: true });
  const context = { state, isReadOnly: state.isReadOnly, isPartitioned: found.isPartitioned, values: trialValues(), signal, change, open, refusal };
  const wanted = route.query.get('function'), first = entries(state.node)[0];
  const save = actionButton(state.revision ? texts.save : texts.document.create, () => saveNow(context, { showAll, open, save }), { class: 'primary', title: texts.document.saveKeys });
  let timer = 0, lastList = '';

  const isChanged = () => state.isDraftWrong ? false : format(state.node) !== state.saved;
  const drawList = () => list.replaceChildren(...functionList(state, key => open(key, true)), ...(state.isReadOnly ? [] : [button(t.add, () => addDialog(state.node, (node, where) => { change(node); open(keyOf(where), true); }, signal))]));
  const showDifference = () => differences.show(readable(state.savedNode), readable(state.node));

  /** Takes a changed document; the list is drawn again only if its entries or their marks differ. */
  function change(node) {
    state.isDraftWrong = false;
    refusal.hidden = true;
    state.node = node;
    save.disabled = false;
    clearTimeout(timer);
    timer = setTimeout(() => { marks(); showDifference(); }, DIFFERENCE_MILLISECONDS);
  }

  function marks() {
    save.disabled = !isChanged() && state.revision !== null;
    const now = h('div', null, functionList(state, () => {})).textContent;
    if (now !== lastList) drawList();
    lastList = now;
  }

  function showAll() { drawList(); marks(); showDifference(); }

  async function open(key, isAsked = false) {
    const entry = entries(state.node).find(item => keyOf(item.path) === key);
    state.chosen = entry ? key : OPTIONS;
    if (!signal.aborted) history.replaceState(null, '', addressOf(state.database, state.id.slice(PREFIX.length), { function: state.chosen || undefined }));
    drawList();
    await drawPanel(context, panel, entry, { showAll });
    // After a dialog has given the focus back.
    if (isAsked) setTimeout(() => { if (!signal.aborted) panel.querySelector('h2')?.focus(); }, FOCUS_MILLISECONDS);
  }

  if (!state.isReadOnly) saveKeys(save, signal);
  keepDraft(state, isChanged, () => format(state.node), signal);
  signal.addEventListener('abort', () => { if (state.isDraftWrong) drafts.set(state.draftKey, found.draft); });
  tryKeys(context, signal);
  showAll();
  await open(wanted ?? (first ? keyOf(first.path) : OPTIONS));
  buttons.replaceChildren(...(state.isReadOnly ? [] : [save]), h('a', { class: 'as-button', href: `#/document/${encodeURIComponent(state.database)}/${encodeURIComponent(state.id)}` }, t.asJSON));
  const isKept = found.draft && state.revision && isChanged();
  return [
    ...notes(state), isKept && keptNote(() => { state.node = state.savedNode; showAll(); open(state.chosen); }), refusal,
    h('div', { class: 'design-columns' }, list, panel), differences.element, sameElsewhere(() => requests(state), swift(state)),
  ];
}

function notes(state) {
  return [conflictNote(state), stateNote(state)];
}

function conflictNote({ database, id, conflicts }) {
  if (!conflicts) return null;
  return h('div', { class: 'warning banner' }, h('span', null, texts.document.hasConflicts(conflicts)),
    h('a', { class: 'as-button', href: withQuery(`#/document/${encodeURIComponent(database)}/${encodeURIComponent(id)}`, { view: 'merge' }) }, texts.document.toMerge));
}

function stateNote(state) {
  if (!state.mayAdmin) return h('p', { class: 'warning' }, texts.document.onlyAdministrators);
  if (state.isDraftWrong) return h('p', { class: 'warning' }, t.wrongDraft);
  const language = languageOf(state.node);
  if (language !== SCRIPT) return h('p', { class: 'warning' }, language === 'query' ? t.queryLanguage : t.otherLanguage(language));
  return state.revision ? null : h('p', { class: 'warning' }, t.isNew);
}

/** Shows what is chosen: a function with its editors and its trial, or the options of the document. */
async function drawPanel(context, panel, entry, { showAll }) {
  const { state, open } = context, number = context.drawn = (context.drawn || 0) + 1;
  context.run = context.editors = context.refresh = context.mistake = null;
  if (!entry) return panel.replaceChildren(...focusable(optionsPanel(context)));
  const done = (node, where) => { context.change(node); showAll(); open(where ? keyOf(where) : firstKey(node), true); };
  const editors = await entryEditors(context, entry);
  // Another function was chosen meanwhile.
  if (context.drawn !== number) return;
  const isScript = languageOf(state.node) === SCRIPT && isText(at(state.node, functionPath(entry)));
  const trial = entry.kind.trial && isScript && !context.isReadOnly ? trialPart(context, entry, error => showMistake(context, entry, error)) : null;
  const buttons = h('div');
  // A function that was saved for the first time has results to show.
  const refresh = () => buttons.replaceChildren(entryButtons(context, entry, {
    isSaved: isScript && Boolean(at(state.savedNode, entry.path)), rename: () => renameDialog(state.node, entry, done, context.signal), remove: () => removeDialog(state.node, entry, node => done(node)) }));
  refresh();
  Object.assign(context, { editors, refresh, run: trial?.run });
  panel.replaceChildren(...focusable([
    h('div', { class: 'head' }, h('h2', null, t.kinds[entry.kind.id], ' ', h('bdi', null, entry.name)), buttons),
    ...editors.elements, trial?.element,
  ].filter(Boolean)));
}

const firstKey = node => entries(node).length ? keyOf(entries(node)[0].path) : OPTIONS;

/** The heading takes the focus when the user has chosen something. */
function focusable(elements) {
  const heading = elements[0].matches('h2') ? elements[0] : elements[0].querySelector('h2');
  if (heading) heading.tabIndex = -1;
  return elements;
}

/** Ctrl-Enter and Cmd-Enter try the function, wherever the focus is, if no dialog is open. */
function tryKeys(context, signal) {
  document.addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter' || document.querySelector('dialog[open]') || !context.run) return;
    event.preventDefault();
    context.run();
  }, { signal });
}

/** Shows an error of the chosen function's text at its editor; `null` removes it. Returns whether it was shown. */
function showMistake(context, entry, error) {
  const { editors, state } = context;
  if (!editors?.editor) return false;
  editors.editor.say('');
  editors.reduce()?.say('');
  if (!error) return true;
  // Other errors are not those of the text.
  if (!['compilation_error', 'timeout', 'not_found'].includes(error.code) || error.status === 404) return false;
  const reason = shortReason(error, state.node);
  // The function whose text the server repeats is the wrong one.
  const reduce = at(state.node, [...entry.path, 'reduce']), isReduce = isText(reduce) && String(error.answer?.reason).endsWith(`(${JSON.parse(reduce.raw)})`) && editors.reduce();
  (isReduce ? editors.reduce() : editors.editor).say(reason, lineOf(reason));
  return true;
}

// ---- Saving

async function saveNow(context, { showAll, open, save }) {
  const { state, refusal, signal } = context;
  if (context.isSaving) return;
  context.isSaving = true;
  refusal.hidden = true;
  const sent = state.node;
  try {
    if (context.mistake) throw new Error(t.notSaved(context.mistake));
    const isFirst = state.revision === null;
    const revision = await write(state);
    Object.assign(state, { revision, saved: format(sent), savedNode: sent });
    toast(texts.document.wasSaved);
    if (drafts.get(state.draftKey)?.text === state.saved) drafts.delete(state.draftKey);
    if (signal.aborted) return;
    if (isFirst) return dispatchEvent(new HashChangeEvent('hashchange'));
    showAll();
    context.refresh?.();
  } catch (error) {
    if (error.status === 409 && signal.aborted) throw new Error(texts.document.conflictAway(state.id));
    if (error.status === 409) return conflictDialog(state, (node, newer) => takeOver(context, node, newer, { showAll, open }), signal);
    if (signal.aborted || error.status !== 400) throw error;
    await showRefusal(context, error, open);
  } finally {
    context.isSaving = false;
    // The button's own end enables it, also when nothing is left to save.
    setTimeout(() => { if (!signal.aborted) save.disabled = format(state.node) === state.saved && state.revision !== null; });
  }
}

function takeOver({ state }, node, newer, { showAll, open }) {
  Object.assign(state, newer
    ? { revision: newer._rev, saved: newer.text, savedNode: newer.fields, attachments: newer._attachments } : { revision: null, saved: EMPTY, savedNode: parse(EMPTY), attachments: {} });
  state.node = node;
  showAll();
  open(state.chosen);
}

/** Shows why the server refused the document, and opens the function that it names. */
async function showRefusal(context, error, open) {
  const { state, refusal } = context, reason = shortReason(error, state.node), place = placeOf(reason, entries(state.node));
  refusal.replaceChildren(t.notSaved(reason));
  refusal.hidden = false;
  if (!place) return;
  if (state.chosen !== keyOf(place.entry.path)) await open(keyOf(place.entry.path));
  const editor = place.isReduce ? context.editors?.reduce() : context.editors?.editor;
  editor?.say(reason, lineOf(reason));
}

// ---- Elsewhere

function requests(state) {
  const address = documentPath(state.database, state.id);
  return state.isReadOnly ? [{ address }] : [{ address }, { method: 'PUT', address, body: rawValue(wholeOf(state)) }];
}

const swift = state => `${swiftDatabase(state.database)}\nlet design = try await database.document(${swiftText(state.id)})`;
