// The first documents of a file as they will be written, before the import begins.
import { h, load } from '../view.js';
import { texts } from '../texts.js';
import { FileText } from './import-read.js';
import { documents } from './import-records.js';
import { format, parse } from './json.js';

/** The number of documents that are shown, and of characters of each. */
const DOCUMENTS = 2, CHARACTERS_MAX = 3000;
/** A document of more characters is not laid out in lines. */
const FORMATTED_CHARACTERS_MAX = 200_000;
const TYPING_MILLISECONDS = 250;
const t = texts.importing;

/** Shows the first documents of a file in `host`. `show(file, options)` begins again; without a file nothing is shown. */
export function previewPart(host, signal) {
  let timer = 0;
  return {
    show(file, readOptions) {
      clearTimeout(timer);
      if (!file) return host.replaceChildren();
      timer = setTimeout(() => { if (!signal.aborted) load(host, () => first(file, readOptions()), picture, signal); }, TYPING_MILLISECONDS);
    },
  };
}

/** The first documents, the columns of a table, and in words why the file cannot be read further. */
async function first(file, options) {
  const source = new FileText(file), found = { items: [], columns: null, mistake: null };
  try {
    for await (const item of documents({ source, options, file }, columns => { found.columns = columns; })) {
      found.items.push(item);
      if (found.items.length >= DOCUMENTS) break;
    }
  } catch (error) {
    found.mistake = error.message;
  } finally {
    source.close();
  }
  return found;
}

function picture({ items, columns, mistake }) {
  return h('section', { class: 'stack import-preview' }, h('h2', null, t.preview(items.filter(item => !item.error).length)),
    columns && h('p', null, columns.hasPlaces ? t.previewPlaces(columns.columns[columns.latitude], columns.columns[columns.longitude]) : t.previewPlain),
    items.length === 0 && !mistake && h('p', { class: 'note' }, t.previewNone),
    items.map(({ line, text, error }) => error ? h('p', { class: 'refusal' }, t.atLine(line, error.message))
      : h('pre', { class: 'code-line', tabindex: '0', dir: 'ltr', 'aria-label': t.previewOf(line) }, shown(text))),
    mistake && h('p', { class: 'refusal' }, mistake));
}

function shown(text) {
  let words = text;
  if (text.length <= FORMATTED_CHARACTERS_MAX) {
    // The server reads texts that the console does not, such as one with a name twice.
    try { words = format(parse(text)); } catch { /* shown as it is */ }
  }
  return words.length > CHARACTERS_MAX ? `${words.slice(0, CHARACTERS_MAX)}…` : words;
}
