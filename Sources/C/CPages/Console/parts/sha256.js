// SHA-256. The browser has one only for pages with TLS, and the console is also used without.

const ROOTS = 64, WORD = 4, BLOCK = 64;

/** The first 32 bits of the fractional parts of roots of the first primes. */
const fraction = root => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const primes = [];
for (let n = 2; primes.length < ROOTS; n += 1) if (primes.every(prime => n % prime)) primes.push(n);
const CONSTANTS = primes.map(prime => fraction(Math.cbrt(prime)));
const START = primes.slice(0, 8).map(prime => fraction(Math.sqrt(prime)));

const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));

/** The hash of bytes, as 64 hexadecimal digits. */
export function sha256(bytes) {
  const length = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK, padded = new Uint8Array(length), view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, (bytes.length * 8) >>> 0);
  const state = Int32Array.from(START), words = new Int32Array(ROOTS);
  for (let at = 0; at < length; at += BLOCK) addBlock(state, words, view, at);
  return [...state].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function addBlock(state, words, view, at) {
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + i * WORD);
  for (let i = 16; i < ROOTS; i += 1) {
    const a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, i] = state;
  for (let round = 0; round < ROOTS; round += 1) {
    const first = (i + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + CONSTANTS[round] + words[round]) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [i, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, i].forEach((word, n) => { state[n] += word; });
}
