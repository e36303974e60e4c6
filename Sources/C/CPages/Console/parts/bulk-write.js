// Writes documents with `_bulk_docs`, and says what became of each.
import { ask, path } from '../api.js';

/** The maximum number of documents of a request, and of their bytes. A longer document is sent alone. */
export const BATCH_DOCUMENTS = 500, BATCH_BYTES = 1_000_000;
/** The states of a request that is refused as a whole because of one of its documents. */
const REFUSED_AS_A_WHOLE = [400, 412, 413];

const encoder = new TextEncoder();

/** The length of a text in UTF-8. */
export const byteLength = text => encoder.encode(text).length;

function bodyOf(records, isReplicated) {
  return new Blob([isReplicated ? '{"new_edits":false,"docs":[' : '{"docs":[', records.map(record => record.text).join(','), ']}'], { type: 'application/json' });
}

/**
 * Writes records, which are `{ id, text }` with the JSON of a document. Returns `[{ record, error, reason }]` in the order of
 * the records, without `error` for what was written. A document that makes the server refuse the whole request is found by
 * halves, and the others are written. A request that has begun is not cancelled, so that what it wrote is known.
 *
 * @param isReplicated Whether the documents keep their revisions (`new_edits: false`).
 */
export async function writeBatch(database, records, isReplicated = false) {
  if (!records.length) return [];
  try {
    return outcomes(records, await ask('POST', path(database, '_bulk_docs'), bodyOf(records, isReplicated)));
  } catch (error) {
    if (!REFUSED_AS_A_WHOLE.includes(error.status)) throw error;
    if (records.length === 1) return [{ record: records[0], error: error.code || 'refused', reason: error.answer?.reason || error.message }];
    const middle = Math.ceil(records.length / 2);
    return [...await writeBatch(database, records.slice(0, middle), isReplicated), ...await writeBatch(database, records.slice(middle), isReplicated)];
  }
}

/** Of replicated documents only those that were refused are in the answer. */
function outcomes(records, answers) {
  if (answers.length === records.length) return records.map((record, i) => ({ record, error: answers[i].error, reason: answers[i].reason, revision: answers[i].rev }));
  const refused = new Map(answers.filter(answer => answer.error).map(answer => [answer.id, answer]));
  return records.map(record => ({ record, error: refused.get(record.id)?.error, reason: refused.get(record.id)?.reason }));
}

/** Collects records until a request is full. `add(record)` returns the batch that must be written before it, or `null`. */
export function batches() {
  let records = [], bytes = 0;
  const take = () => { const full = records; records = []; bytes = 0; return full; };
  return {
    take,
    add(record) {
      const size = byteLength(record.text);
      const full = records.length && (records.length >= BATCH_DOCUMENTS || bytes + size > BATCH_BYTES) ? take() : null;
      records.push(record);
      bytes += size;
      return full;
    },
  };
}
