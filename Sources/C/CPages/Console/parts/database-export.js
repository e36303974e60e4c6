// Exports documents to a file: it is written piece by piece where the browser can, else collected up to a limit.
import { path, quoted, session } from '../api.js';
import { bytes, button, count, dialog, field, h } from '../view.js';
import { texts } from '../texts.js';
import { countOf, documentPages } from './document-pages.js';
import { COLUMNS_MAX, formatOf, hasAttachments } from './export-formats.js';
import { saveFile } from './attachments.js';
import { progressPart } from './progress.js';
import { block } from './same.js';

/** The maximum length of a file that is collected in the memory of the page. */
const COLLECTED_MAX = 50_000_000;
/** The time between two pictures of the progress. */
const TURN_MILLISECONDS = 200;
const t = texts.exporting;

/** The file would be longer than the page may collect. */
class TooLong extends Error {}

/** Opens the dialog for a source of `document-pages.js`; `words` say which documents it has. */
export function exportDialog(database, source, words, signal) {
  // With the page the dialog ends too.
  const end = new AbortController(), stop = () => { end.abort(); element.close(); };
  signal.addEventListener('abort', stop);
  const element = dialog(t.title, close => {
    const format = h('select', { autofocus: true }, Object.entries(t.formats).map(([value, title]) => h('option', { value }, title)));
    const revisions = h('input', { type: 'checkbox' }), check = h('label', { class: 'check' }, revisions, t.revisions);
    const progress = h('div'), result = h('div', { role: 'status' }), submit = h('button', { class: 'primary' }, t.begin), buttons = h('div', { class: 'buttons' }, submit, button(texts.cancel, close));
    const elsewhere = h('div', { class: 'same-content' });
    const note = h('p', { class: 'note' });
    const changed = () => {
      check.hidden = format.value !== 'lines';
      note.textContent = t.notes[format.value];
      elsewhere.replaceChildren(block('godwit', command(database, format.value)));
    };
    format.addEventListener('change', changed);
    changed();
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        buttons.hidden = true;
        result.replaceChildren();
        await run({ database, source, format: format.value, hasRevisions: revisions.checked, signal: end.signal, progress, result });
        progress.replaceChildren();
        buttons.hidden = false;
        buttons.lastChild.textContent = texts.close;
      },
    }, h('p', null, words), field(t.format, format), note, check, h('p', { class: 'note' }, canStream() ? t.streamed : t.collected(bytes(COLLECTED_MAX))), progress, result, buttons,
    h('details', { class: 'same' }, h('summary', null, t.elsewhere), elsewhere));
  });
  element.addEventListener('close', () => { stop(); signal.removeEventListener('abort', stop); });
}

const canStream = () => typeof window.showSaveFilePicker === 'function';
const ENDINGS = { lines: 'jsonl', geojson: 'geojson', csv: 'csv' };

const command = (database, format) => `GODWIT_USER=${quoted(session.name)} godwit export ${quoted(location.origin + path(database))} FILE.${ENDINGS[format]}`;

// ---- The export

/** The file on the disk, or the pieces of it in memory: `write(text)`, `end()`, `cancel()`. */
async function openFile(name, format) {
  if (canStream()) {
    try {
      const handle = await window.showSaveFilePicker({ suggestedName: name });
      const file = await handle.createWritable();
      return { write: text => file.write(text), end: () => file.close(), cancel: () => file.abort() };
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      // A page that may not open the dialog collects the file.
    }
  }
  const pieces = [];
  let length = 0;
  return {
    write: text => {
      const piece = new Blob([text]);
      length += piece.size;
      if (length > COLLECTED_MAX) throw new TooLong(t.tooLong(bytes(COLLECTED_MAX)));
      pieces.push(piece);
    },
    end: () => saveFile(name, new Blob(pieces, { type: format.type }), format.type),
    cancel: () => {},
  };
}

async function run(options) {
  const end = new AbortController(), stop = () => end.abort();
  options.signal.addEventListener('abort', stop);
  const state = { ...options, signal: end.signal, shown: 0, read: 0, written: 0, leftOut: 0, withoutFiles: 0, length: 0, bar: progressPart(options.progress, t.title, stop) };
  let file = null;
  try {
    const format = formatOf(options.format, options);
    file = await openFile(`${options.database.replaceAll('/', '-')}.${format.ending}`, format);
    // Lines have design documents too; the other formats cannot contain them.
    state.source = { ...options.source, hasDesign: options.format === 'lines' };
    state.total = await countOf(options.database, state.source, state.signal);
    await writeFile(state, format, file);
    await file.end();
    options.result.replaceChildren(h('p', { class: 'good' }, t.done(count(state.written))),
      ...[state.leftOut && t.leftOut(count(state.leftOut)), state.withoutFiles && t.withoutFiles(count(state.withoutFiles))].filter(Boolean).map(text => h('p', { class: 'note' }, text)));
  } catch (error) {
    await Promise.resolve(file?.cancel()).catch(() => {});
    if (options.signal.aborted) return;
    options.result.replaceChildren(h('p', { class: 'refusal' }, error.name === 'AbortError' ? t.cancelled : error.message));
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

async function writeFile(state, format, file) {
  if (format.look) {
    for await (const docs of documentPages(state.database, state.source, state.signal)) {
      for (const doc of docs) if (format.look(doc) > COLUMNS_MAX) throw new Error(t.tooManyColumns(count(COLUMNS_MAX)));
      state.read += docs.length;
      show(state, t.lookedAt(count(state.read)));
    }
    state.read = 0;
  }
  await file.write(format.start());
  for await (const docs of documentPages(state.database, state.source, state.signal)) {
    const found = docs.map(doc => [doc, format.text(doc)]), pieces = found.filter(([, text]) => text !== null);
    const text = pieces.map(([, piece]) => piece).join('');
    if (text) await file.write(text);
    state.read += docs.length;
    state.written += pieces.length;
    state.leftOut += docs.length - pieces.length;
    state.withoutFiles += pieces.filter(([doc]) => hasAttachments(doc)).length;
    state.length += text.length;
    show(state, t.progress(count(state.written), bytes(state.length)));
  }
  await file.write(format.end);
}

function show(state, words) {
  if (performance.now() - state.shown < TURN_MILLISECONDS) return;
  state.shown = performance.now();
  state.bar.show(state.total ? Math.min(1, state.read / state.total) : null, words);
}
