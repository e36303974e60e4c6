// Reads an object up to a length: one that is longer than the list said is not read to its end.
import { send } from '../api.js';
import { texts } from '../texts.js';
import { TooLarge } from './bounded-read.js';

/** The bytes of an object as a Blob of a type. Throws `TooLarge` if it is longer than `bytesMax`. */
export async function readBlob(address, type, bytesMax, signal) {
  const response = await send('GET', address, undefined, { signal, headers: { Accept: '*/*' } });
  const reader = response.body.getReader(), pieces = [];
  for (let total = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces, { type });
    total += value.length;
    if (total > bytesMax) break;
    pieces.push(value);
  }
  reader.cancel().catch(() => {});
  throw new TooLarge(texts.objects.tooLarge);
}
