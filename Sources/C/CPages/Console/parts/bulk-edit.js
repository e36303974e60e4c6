// Changes a field of many documents: it is set, removed or renamed. Numbers of the other fields keep their digits.
import { path, swiftDatabase, withQuery } from '../api.js';
import { bytes, button, count, dialog, emptyState, errorState, field, h, loadingState, toast } from '../view.js';
import { texts } from '../texts.js';
import { batches, writeBatch } from './bulk-write.js';
import { differenceView, lines } from './difference.js';
import { countOf, documentPages } from './document-pages.js';
import { DOCUMENT_BYTES_MAX } from './bounded-read.js';
import { canonical, compact, fieldsOf, format, member, Mistake, parse, valueOf } from './json.js';
import { jsonField, JSONMistake } from './json-text.js';
import { progressPart, refusals } from './progress.js';
import { rawValue, swiftNode } from './query-nodes.js';
import { sameElsewhere } from './same.js';
import { swiftText } from './swift-literal.js';

/** The documents of the preview, and the maximum number that can be tried again. */
const PREVIEW = 3, AGAIN_MAX = 5000;
const TURN_MILLISECONDS = 200, TYPING_MILLISECONDS = 300;
const t = texts.bulkEdit;

/** Opens the dialog for a source of `document-pages.js`; `words` say which documents it has. `done()` is called after changes. */
export function bulkEditDialog(database, source, words, signal, done) {
  // With the page the dialog ends too.
  const end = new AbortController(), stop = () => { end.abort(); element.close(); };
  let isChanged = false;
  signal.addEventListener('abort', stop);
  const element = dialog(t.title, close => content({ database, source, words, signal: end.signal, close, changed: () => { isChanged = true; } }), { class: 'wide' });
  element.addEventListener('close', () => {
    stop();
    signal.removeEventListener('abort', stop);
    if (isChanged && !signal.aborted) done();
  });
}

function content(page) {
  const edit = editPart(), preview = h('section', { class: 'stack' }), progress = h('div'), result = h('div', { class: 'stack', tabindex: '-1' });
  const submit = h('button', { class: 'primary', disabled: true }, t.begin), cancel = button(texts.cancel, page.close), buttons = h('div', { class: 'buttons' }, submit, cancel);
  const state = { ...page, edit, preview, progress, result, buttons, submit, first: null };
  const show = () => { submit.disabled = !showPreview(state); };
  let timer = 0;
  edit.element.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(show, TYPING_MILLISECONDS); });
  edit.element.addEventListener('change', show);
  preview.replaceChildren(loadingState());
  firstDocuments(state).then(docs => { state.first = docs; show(); }, error => { if (error.name !== 'AbortError') preview.replaceChildren(errorState(error)); });
  return h('form', {
    class: 'form', onsubmit: async event => {
      event.preventDefault();
      const change = edit.read(true);
      if (!change) return;
      await run(state, change, page.source);
      cancel.textContent = texts.close;
    },
  }, h('p', null, page.words), edit.element, preview, progress, result, buttons, sameElsewhere(() => requests(state), () => swift(state)));
}

// ---- The change

function editPart() {
  const kind = h('select', { autofocus: true }, Object.entries(t.kinds).map(([value, title]) => h('option', { value }, title)));
  const name = h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }), other = h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const value = jsonField(t.value, '', { rows: 2, note: t.valueNote }), newName = field(t.newName, other), refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
  const changed = () => { value.element.hidden = kind.value !== 'set'; newName.hidden = kind.value !== 'rename'; };
  kind.addEventListener('change', changed);
  changed();
  /** The change, or `null` if it is not complete. `isAsked` shows what is missing. */
  const read = isAsked => {
    let words = null, node;
    try {
      node = kind.value === 'set' ? valueNode(value, isAsked) : null;
    } catch (error) {
      if (!(error instanceof JSONMistake || error instanceof Mistake)) throw error;
      return null;
    }
    const from = name.value, to = other.value;
    if (!from || from.startsWith('_') || (kind.value === 'rename' && to.startsWith('_'))) words = from ? t.reserved : t.noName;
    else if (kind.value === 'set' && node === undefined) words = t.noValue;
    else if (kind.value === 'rename' && (!to || to === from)) words = t.noNewName;
    refusal.textContent = words || '';
    refusal.hidden = !isAsked || !words;
    return words ? null : { kind: kind.value, name: from, value: node, newName: to };
  };
  return {
    element: h('div', { class: 'form' }, h('div', { class: 'form-grid' }, field(t.kind, kind), field(t.name, name, t.nameNote), newName), value.element, refusal), read,
  };
}

/** The value as a node. Only what the user asks for shows a mistake, and moves the focus to it. */
function valueNode(value, isAsked) {
  if (!value.area.value.trim()) return undefined;
  return isAsked ? value.node() : parse(value.area.value);
}

/** The changed document, or the same node if nothing changes. Throws if the new name is taken. */
export function applied(doc, change) {
  const place = doc.members.findIndex(item => item.key === change.name);
  const replaced = items => ({ ...doc, members: [...doc.members.slice(0, place), ...items, ...doc.members.slice(place + 1)] });
  if (change.kind === 'set') {
    if (place < 0) return { ...doc, members: [...doc.members, { key: change.name, node: change.value }] };
    return canonical(doc.members[place].node) === canonical(change.value) ? doc : replaced([{ key: change.name, node: change.value }]);
  }
  if (place < 0) return doc;
  if (change.kind === 'remove') return replaced([]);
  if (member(doc, change.newName) !== undefined) throw new Error(t.nameTaken(change.newName));
  return replaced([{ key: change.newName, node: doc.members[place].node }]);
}

// ---- The same elsewhere

/** The requests for the first documents. */
function requests({ database, edit, first }) {
  const change = edit.read(false), keys = (first || []).map(doc => valueOf(member(doc, '_id')));
  const read = { method: 'POST', address: withQuery(path(database, '_all_docs'), { include_docs: true }), body: { keys } };
  if (!change) return [read];
  const next = (first || []).flatMap(doc => { try { return [applied(doc, change)]; } catch { return []; } });
  return [read, { method: 'POST', address: path(database, '_bulk_docs'), body: rawValue(parse(`{"docs":[${next.map(compact).join(',')}]}`)) }];
}

function swift({ database, edit }) {
  const change = edit.read(false), field = text => `document.body[${swiftText(text)}]`, name = change?.name || 'FIELD';
  const line = { set: `${field(name)} = ${change?.value ? swiftNode(change.value) : 'VALUE'}`, remove: `${field(name)} = nil`, rename: `(${field(change?.newName || 'NEW')}, ${field(name)}) = (${field(name)}, nil)` };
  return `${swiftDatabase(database)}
var edits: [DocumentEdit] = []
for var document in try await database.documents(limit: 500) {
    ${line[change?.kind || 'set']}
    edits.append(.update(document))
}
for result in try await database.writeEach(edits) { print(result) }`;
}

// ---- The preview

async function firstDocuments({ database, source, signal }) {
  for await (const docs of documentPages(database, source.ids ? { ids: source.ids.slice(0, PREVIEW) } : source, signal)) {
    if (docs.length) return docs.slice(0, PREVIEW);
  }
  return [];
}

/** Shows the first documents before and after; whether the change can begin. */
function showPreview({ edit, first, preview }) {
  if (!first) return false;
  if (!first.length) { preview.replaceChildren(emptyState(texts.database.noneFound)); return false; }
  const change = edit.read(false);
  if (!change) { preview.replaceChildren(h('p', { class: 'note' }, t.incomplete)); return false; }
  preview.replaceChildren(h('h2', null, t.preview), ...first.map(doc => h('div', null, h('h3', { class: 'preview-id' }, h('bdi', null, valueOf(member(doc, '_id')))), difference(doc, change))));
  return true;
}

function difference(doc, change) {
  try {
    const next = applied(doc, change);
    if (next === doc) return h('p', { class: 'note' }, t.same);
    const before = format(fieldsOf(doc)), after = format(fieldsOf(next));
    if (before.length + after.length > DOCUMENT_BYTES_MAX) return h('p', { class: 'note' }, t.large(bytes(before.length)));
    return differenceView(lines(before, after));
  } catch (error) {
    return h('p', { class: 'refusal' }, error.message);
  }
}

// ---- Writing

async function run(page, change, source) {
  const end = new AbortController(), stop = () => end.abort();
  page.signal.addEventListener('abort', stop);
  // The dialog now shows the result. Another change begins with a new dialog.
  page.buttons.hidden = page.submit.hidden = page.edit.element.hidden = page.preview.hidden = true;
  page.result.replaceChildren();
  const state = {
    ...page, change, signal: end.signal, batch: batches(), refused: refusals(), again: [], read: 0, written: 0, unchanged: 0, shown: 0,
    bar: progressPart(page.progress, t.title, stop),
  };
  let reason = null;
  try {
    state.total = await countOf(page.database, source, end.signal);
    for await (const docs of documentPages(page.database, source, end.signal)) {
      for (const doc of docs) await take(state, doc);
      show(state);
    }
    await write(state, state.batch.take());
  } catch (error) {
    reason = error.name === 'AbortError' ? t.cancelled : error.message;
  } finally {
    page.signal.removeEventListener('abort', stop);
  }
  if (state.written) page.changed();
  page.progress.replaceChildren();
  page.buttons.hidden = false;
  if (page.signal.aborted) return toast(t.changed(count(state.written)));
  page.result.replaceChildren(...summary(state, reason, ids => run(page, change, { ids })));
  page.result.focus();
}

async function take(state, doc) {
  const id = valueOf(member(doc, '_id'));
  state.read += 1;
  let next;
  try {
    next = applied(doc, state.change);
  } catch (error) {
    return state.refused.add({ id, reason: error.message });
  }
  if (next === doc) { state.unchanged += 1; return; }
  const full = state.batch.add({ id, text: compact(next) });
  if (full) await write(state, full);
}

async function write(state, records) {
  for (const { record, error, reason } of await writeBatch(state.database, records)) {
    if (!error) { state.written += 1; continue; }
    state.refused.add({ id: record.id, reason: error === 'conflict' ? t.conflict : reason });
    if (state.again.length < AGAIN_MAX) state.again.push(record.id);
  }
  state.signal.throwIfAborted();
  show(state);
}

function show(state) {
  if (performance.now() - state.shown < TURN_MILLISECONDS) return;
  state.shown = performance.now();
  state.bar.show(state.total ? Math.min(1, state.read / state.total) : null, t.progress(count(state.read), count(state.written), count(state.refused.total)));
}

function summary(state, reason, runAgain) {
  const { refused, again } = state;
  return [
    h('p', { class: reason ? 'refusal' : 'good' }, reason && `${reason} `, t.changed(count(state.written))),
    state.unchanged > 0 && h('p', { class: 'note' }, t.unchanged(count(state.unchanged))), refused.element(),
    again.length > 0 && h('div', { class: 'buttons' }, button(t.again(count(again.length)), () => runAgain(again))),
  ].filter(Boolean);
}
