// Imports a file into a database: it is read piece by piece, and written in small requests, one after the other.
import { path, quoted, session } from '../api.js';
import { bytes, button, count, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { batches, writeBatch } from './bulk-write.js';
import { documentPages } from './document-pages.js';
import { contentOf, contentOfText, knownIDs, withRevision } from './import-documents.js';
import { previewPart } from './import-preview.js';
import { FileText, Unreadable } from './import-read.js';
import { documents } from './import-records.js';
import { member, valueOf } from './json.js';
import { progressPart, refusals } from './progress.js';
import { block } from './same.js';

/** Formats by the end of a file's name. */
const FORMATS = [[/\.(csv|tsv)$/i, 'csv'], [/\.(geojson|geojsonl|geojsonseq)$/i, 'geojson'], [/\.(jsonl|ndjson)$/i, 'lines']];
/** The time between two pictures of the progress. */
const TURN_MILLISECONDS = 200;
const t = texts.importing;

/** A file that was dropped on another tab of the database. */
let dropped = null;

/** Files that are dropped on the page of a database are imported: the tab for it opens. */
export function acceptDrops(host, { database, address, signal }) {
  const hasFiles = event => [...event.dataTransfer?.types || []].includes('Files');
  host.addEventListener('dragover', event => { if (hasFiles(event)) event.preventDefault(); }, { signal });
  host.addEventListener('drop', event => {
    if (!hasFiles(event) || event.defaultPrevented || !event.dataTransfer.files.length) return;
    event.preventDefault();
    dropped = { database, file: event.dataTransfer.files[0] };
    if (location.hash === address({ tab: 'import' })) dispatchEvent(new CustomEvent('file-dropped'));
    else location.hash = address({ tab: 'import' });
  }, { signal });
}

export function importTab(host, page) {
  const { database, signal } = page;
  const file = h('input', { type: 'file' }), choices = choicePart(), progress = h('div'), result = h('div', { class: 'stack', tabindex: '-1' });
  const begin = h('button', { class: 'primary', disabled: true }, t.begin), zone = h('div', { class: 'drop' }, field(t.file, file, t.fileNote));
  const words = h('p', { class: 'note' }), preview = h('div'), first = previewPart(preview, signal);
  let chosen = null;
  const choose = one => {
    chosen = one;
    begin.disabled = !one;
    words.textContent = one ? t.chosen(one.name, bytes(one.size)) : '';
    choices.changed(one);
    showFirst();
  };
  const showFirst = () => first.show(chosen, () => choices.read(chosen));
  const takeDropped = () => {
    if (dropped?.database !== database) return;
    file.value = '';
    choose(dropped.file);
    dropped = null;
  };
  // A file that was changed on the disk can be chosen again.
  file.addEventListener('click', () => { file.value = ''; });
  file.addEventListener('change', () => choose(file.files[0] || null));
  zone.addEventListener('dragover', () => zone.classList.add('drop-over'));
  for (const name of ['dragleave', 'drop']) zone.addEventListener(name, () => zone.classList.remove('drop-over'));
  for (const name of ['input', 'change']) choices.element.addEventListener(name, showFirst);
  addEventListener('file-dropped', takeDropped, { signal });
  const form = h('form', {
    class: 'form', onsubmit: async event => {
      event.preventDefault();
      form.hidden = true;
      await run(chosen, { ...page, options: choices.read(chosen), progress, result });
      form.hidden = false;
      if (!signal.aborted) result.focus();
    },
  }, h('p', { class: 'note' }, t.note), zone, words, choices.element, preview, h('div', { class: 'buttons' }, begin));
  host.replaceChildren(h('div', { class: 'stack' }, form, progress, result, h('details', { class: 'same' }, h('summary', null, t.elsewhere),
    h('div', { class: 'same-content' }, h('p', { class: 'note' }, t.elsewhereNote), block('godwit', `GODWIT_USER=${quoted(session.name)} godwit import FILE ${quoted(location.origin + path(database))}`)))));
  takeDropped();
}

// ---- Choices

const select = options => h('select', null, Object.entries(options).map(([value, title]) => h('option', { value }, title)));

function choicePart() {
  const format = select(t.formats), existing = select(t.existing), revisions = h('input', { type: 'checkbox' });
  const delimiter = select(t.delimiters), name = () => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const latitude = name(), longitude = name(), id = name();
  const table = h('fieldset', { class: 'choice', hidden: true }, h('legend', null, t.table), h('p', { class: 'note' }, t.tableNote),
    h('div', { class: 'form-grid tight' }, field(t.delimiter, delimiter), field(t.latitude, latitude), field(t.longitude, longitude), field(t.idColumn, id)));
  const keep = h('div', { class: 'field' }, h('label', { class: 'check' }, revisions, t.revisions), h('p', { class: 'note' }, t.revisionsNote));
  const policy = field(t.existingTitle, existing);
  let file = null;
  const formatOf = one => format.value || FORMATS.find(([pattern]) => pattern.test(one?.name || ''))?.[1] || 'json';
  const changed = () => {
    const kind = formatOf(file), isTable = file !== null && kind === 'csv', isGeo = kind === 'geojson';
    table.hidden = !isTable;
    keep.hidden = isTable || isGeo;
    policy.hidden = !keep.hidden && revisions.checked;
  };
  for (const control of [format, revisions]) control.addEventListener('change', changed);
  return {
    element: h('div', { class: 'form' }, h('div', { class: 'form-grid' }, field(t.format, format), policy), keep, table),
    changed(one) {
      file = one;
      changed();
    },
    read: one => ({
      format: formatOf(one), existing: existing.value, keepsRevisions: !keep.hidden && revisions.checked, delimiter: delimiter.value,
      names: { latitude: latitude.value.trim(), longitude: longitude.value.trim(), id: id.value.trim() },
    }),
  };
}

// ---- The import

async function run(file, page) {
  const end = new AbortController(), stop = () => end.abort();
  page.signal.addEventListener('abort', stop);
  page.result.replaceChildren();
  const warn = event => event.preventDefault();
  addEventListener('beforeunload', warn);
  const state = {
    ...page, signal: end.signal, file, source: new FileText(file), batch: batches(), ids: knownIDs(), refused: refusals(),
    bar: progressPart(page.progress, t.title, stop), shown: 0, counts: { written: 0, replaced: 0, skipped: 0, repeated: 0, derived: 0 },
  };
  let reason = null;
  try {
    for await (const item of documents(state)) await take(state, item);
    await write(state, state.batch.take());
  } catch (error) {
    reason = error.name === 'AbortError' ? t.cancelled : error.message;
    // The documents before the unreadable place are written.
    if (error instanceof Unreadable) await write(state, state.batch.take()).catch(later => { reason = `${reason} ${later.message}`; });
  } finally {
    state.source.close();
    page.signal.removeEventListener('abort', stop);
    removeEventListener('beforeunload', warn);
  }
  if (page.signal.aborted) return toast(t.left(count(state.counts.written + state.counts.replaced), page.database));
  page.progress.replaceChildren();
  page.result.replaceChildren(...summary(state, reason));
  page.refresh();
}

async function take(state, item) {
  state.signal.throwIfAborted();
  if (item.error) state.refused.add({ line: item.line, id: item.error.id, reason: item.error.message });
  else if (isNew(state, item)) {
    if (item.isDerived) state.counts.derived += 1;
    const full = state.batch.add(item);
    if (full) await write(state, full);
  }
  await draw(state);
}

/** Two records with one id never overwrite each other. */
function isNew(state, item) {
  if (state.options.keepsRevisions) return true;
  const found = state.ids.add(item);
  if (found === 'repeated') state.counts.repeated += 1;
  if (found === 'taken') state.refused.add({ line: item.line, id: item.id, reason: t.taken });
  return found === 'first';
}

/** Shows the progress now and then, and lets the browser draw. */
async function draw(state) {
  if (performance.now() - state.shown < TURN_MILLISECONDS) return;
  const { counts, source, file } = state;
  state.bar.show(file.size ? Math.min(1, source.bytes / file.size) : 1, t.progress(bytes(source.bytes), bytes(file.size), count(counts.written + counts.replaced), count(counts.skipped), count(state.refused.total)));
  await new Promise(resolve => { setTimeout(resolve); });
  state.shown = performance.now();
}

async function write(state, records) {
  const { database, options, counts } = state, existing = [];
  for (const { record, error, reason } of await writeBatch(database, records, options.keepsRevisions)) {
    if (!error) counts.written += 1;
    else if (error === 'conflict' && options.existing !== 'refuse' && !options.keepsRevisions) existing.push(record);
    else state.refused.add({ line: record.line, id: record.id, reason: error === 'conflict' ? t.exists : reason });
  }
  if (options.existing === 'replace') await replace(state, existing);
  else counts.skipped += existing.length;
}

/** Replaces documents that exist. What is equal stays. */
async function replace(state, records) {
  const edits = [], wanted = new Map(records.map(record => [record.id, record]));
  for await (const docs of documentPages(state.database, { ids: [...wanted.keys()] }, state.signal)) {
    for (const doc of docs) {
      const record = wanted.get(valueOf(member(doc, '_id'))), stored = contentOf(doc);
      if (stored !== null && stored === contentOfText(record.text)) state.counts.skipped += 1;
      else edits.push({ ...record, text: withRevision(record.text, valueOf(member(doc, '_rev'))) });
      wanted.delete(record.id);
    }
  }
  // A document that was deleted meanwhile is created.
  edits.push(...wanted.values());
  for (const { record, error, reason } of await writeBatch(state.database, edits)) {
    if (error) state.refused.add({ line: record.line, id: record.id, reason });
    else state.counts.replaced += 1;
  }
}

function summary(state, reason) {
  const { counts, refused } = state;
  const lines = [['written', t.written], ['replaced', t.replaced], ['skipped', t.skipped], ['repeated', t.repeated], ['derived', t.derived]]
    .filter(([key]) => counts[key] || key === 'written').map(([key, words]) => h('li', null, words(count(counts[key]))));
  return [
    h('h2', null, reason ? t.stopped : t.done),
    reason && h('p', { class: 'refusal' }, reason), reason && counts.written + counts.replaced > 0 && h('p', null, t.stays),
    h('ul', null, lines), refused.element(),
    h('div', { class: 'buttons' }, button(t.showDocuments, () => { location.hash = state.address({}); })),
  ].filter(Boolean);
}
