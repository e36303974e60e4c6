// The documents of a file that is imported, one by one, as `{ line, id, text }` or `{ line, error }`.
import { texts } from '../texts.js';
import { columnsOf, documentOf, featureOf, Refused, rowOf } from './import-documents.js';
import { delimiterOf, hasLines, lineRecords, tableRows, textRecords, Unreadable } from './import-read.js';

/** Names of files whose lines are texts of JSON. */
const LINES = /\.(jsonl|ndjson|geojsonl|geojsonseq)$/i;
const TABS = /\.tsv$/i;
const t = texts.importing;

/**
 * The documents of a file.
 *
 * @param source A `FileText`.
 * @param options `{ format, keepsRevisions, delimiter, names }`; an empty delimiter is found in the first row.
 * @param begins Called with the columns of a table when they are known.
 */
export async function* documents({ source, options, file }, begins) {
  if (options.format === 'csv') return yield* rows({ source, options, file }, begins);
  const isLines = options.format === 'lines' || LINES.test(file.name) || await hasLines(source);
  for await (const record of isLines ? lineRecords(source) : textRecords(source)) {
    const isFeature = options.format === 'geojson' || record.kind === 'feature';
    yield attempt(record.line, () => isFeature ? featureOf(record) : documentOf(record, options.keepsRevisions));
  }
}

async function* rows({ source, options, file }, begins) {
  let columns = null;
  const delimiter = options.delimiter || await delimiterOf(source, TABS.test(file.name) ? '\t' : ',');
  for await (const { line, fields, mistake } of tableRows(source, delimiter)) {
    if (columns === null) {
      columns = firstRow(line, fields, mistake, options.names);
      begins?.(columns);
    } else {
      yield attempt(line, () => {
        if (mistake) throw new Refused(mistake);
        return rowOf(fields, columns);
      });
    }
  }
  if (columns === null) throw new Unreadable(1, t.noRows);
}

function firstRow(line, fields, mistake, names) {
  try {
    if (mistake) throw new Refused(mistake);
    return columnsOf(fields, names);
  } catch (error) {
    throw error instanceof Refused ? new Unreadable(line, error.message) : error;
  }
}

function attempt(line, make) {
  try {
    return { line, ...make() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { line, error };
  }
}
