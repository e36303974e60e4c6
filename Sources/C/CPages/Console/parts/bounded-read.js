// Reads responses up to a length: what is longer is not read to its end, and pages become smaller.
import { send } from '../api.js';
import { texts } from '../texts.js';

/** The maximum length of a document that the console opens, and of a page of documents, in bytes. */
export const DOCUMENT_BYTES_MAX = 1 << 20;

/** The response is longer than the limit. */
export class TooLarge extends Error {
  constructor(words = texts.tooLarge) { super(words); }
}

/** Sends a request, and returns the text of a response of a limited length. `options.tooLarge` are the words for a longer one. */
export async function askText(method, address, body, options) {
  const response = await send(method, address, body, options), length = Number(response.headers.get('Content-Length') || 0);
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let total = length > DOCUMENT_BYTES_MAX ? length : 0, text = '';
  while (total <= DOCUMENT_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    total += value.length;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => {});
  throw new TooLarge(options?.tooLarge);
}

/** Sends a request, and returns the JSON of a response of a limited length. */
export const askLimited = async (method, address, body, options) => JSON.parse(await askText(method, address, body, options));

/** Calls `read(size)` with smaller and smaller sizes until the response is short enough. */
export async function shrinking(sizes, read) {
  for (const [i, size] of sizes.entries()) {
    try {
      return await read(size);
    } catch (error) {
      if (!(error instanceof TooLarge) || i === sizes.length - 1) throw error;
    }
  }
}

/** Sends a request, and returns `{ answer, milliseconds }` of a response of a limited length. */
export async function askTimed(method, address, body, options) {
  const start = performance.now(), answer = await askLimited(method, address, body, { tooLarge: texts.queries.tooLarge, ...options });
  return { answer, milliseconds: Math.round(performance.now() - start) };
}
