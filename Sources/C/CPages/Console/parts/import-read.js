// Reads the records of a file one by one: lines of JSON, the elements of a JSON list, rows of CSV. The file is never in memory as a whole.
import { texts } from '../texts.js';

/** The maximum number of characters of a record, and of the first line that shows what kind of JSON a file has. */
const RECORD_CHARACTERS_MAX = 16_000_000, FIRST_LINE_MAX = 1_000_000;
/** The members of an object whose elements are records. */
const LISTS = { docs: 'document', rows: 'row', features: 'feature' };
const BLANKS = /[ \t\r\n\ufeff]*/y;
const t = texts.importing;

/** The rest of the file cannot be read. `line` is where. */
export class Unreadable extends Error {
  constructor(line, words) {
    super(t.atLine(line, words));
    this.line = line;
  }
}

/** The part of a file that is read: its text from `at` on is not used yet, and begins at `line`. */
export class FileText {
  constructor(file) {
    this.reader = file.stream().getReader();
    this.decoder = new TextDecoder('utf-8', { fatal: true });
    Object.assign(this, { text: '', at: 0, line: 1, bytes: 0, isComplete: false });
  }

  /** Reads on; `false` at the end of the file. */
  async more() {
    if (this.isComplete) return false;
    if (this.text.length - this.at > RECORD_CHARACTERS_MAX) throw new Unreadable(this.line, t.tooLong);
    const { done, value } = await this.reader.read().catch(() => { throw new Unreadable(this.line, t.notReadable); });
    this.isComplete = done;
    this.bytes += value?.length || 0;
    try {
      this.text = this.text.slice(this.at) + (done ? this.decoder.decode() : this.decoder.decode(value, { stream: true }));
    } catch {
      throw new Unreadable(this.line, t.notUTF8);
    }
    this.at = 0;
    return true;
  }

  /** The unused text from its beginning to a character, or all of it; `null` if nothing is left. */
  async takeLine() {
    for (let from = 0;;) {
      const end = this.text.indexOf('\n', this.at + from);
      if (end >= 0) return this.take(end + 1 - this.at);
      from = this.text.length - this.at;
      if (!await this.more()) return from > 0 ? this.take(from) : null;
    }
  }

  take(length) {
    const taken = this.text.slice(this.at, this.at + length);
    this.at += length;
    for (let i = taken.indexOf('\n'); i >= 0; i = taken.indexOf('\n', i + 1)) this.line += 1;
    return taken;
  }

  /** Passes blanks; returns the next character, or `''` at the end of the file. */
  async next() {
    for (;;) {
      BLANKS.lastIndex = this.at;
      this.take(BLANKS.exec(this.text)[0].length);
      if (this.at < this.text.length) return this.text[this.at];
      if (!await this.more()) return '';
    }
  }

  close() { this.reader.cancel().catch(() => {}); }
}

/** Whether each line is a text of JSON: the first line is an object, and another follows. */
export async function hasLines(source) {
  if (await source.next() !== '{') return false;
  const rest = () => source.text.slice(source.at), lineEnd = () => source.text.indexOf('\n', source.at) - source.at;
  while (lineEnd() < 0 && source.text.length - source.at < FIRST_LINE_MAX && await source.more());
  const end = lineEnd();
  if (end < 0) return false;
  try { JSON.parse(rest().slice(0, end)); } catch { return false; }
  while (!rest().slice(end).trim() && await source.more());
  return Boolean(rest().slice(end).trim());
}

/** The lines of a file, as `{ line, text, kind }`. */
export async function* lineRecords(source) {
  for (;;) {
    const { line } = source, text = await source.takeLine();
    if (text === null) return;
    // A sequence of texts (RFC 8142) has this character before each of them.
    const trimmed = text.replace('\u001e', '').trim();
    if (trimmed) yield { line, text: trimmed, kind: 'document' };
  }
}

/**
 * The records of a text of JSON, as `{ line, text, kind }`: the elements of a list, which may be the member `docs`, `rows` or
 * `features` of an object, or the object itself.
 */
export async function* textRecords(source) {
  for (let first = await source.next(); first; first = await source.next()) {
    const { line } = source;
    if (first === '[') { source.take(1); yield* elements(source, 'document'); }
    else if (first === '{') yield* objectRecords(source, line);
    else throw new Unreadable(line, t.notJSON);
  }
}

async function* elements(source, kind) {
  for (;;) {
    const next = await source.next(), { line } = source;
    if (!next) throw new Unreadable(line, t.endsInside);
    if (next === ']' || next === ',') {
      source.take(1);
      if (next === ']') return;
    } else yield { line, text: await takeValue(source), kind };
  }
}

async function* objectRecords(source, line) {
  const members = [];
  let hasList = false, system = null, length = 0;
  source.take(1);
  for (;;) {
    const next = await source.next();
    if (!next) throw new Unreadable(source.line, t.endsInside);
    if (next === ',') { source.take(1); continue; }
    if (next === '}') { source.take(1); break; }
    if (next !== '"') throw new Unreadable(source.line, t.noName);
    const name = await takeValue(source);
    if (await source.next() !== ':') throw new Unreadable(source.line, t.noColon);
    source.take(1);
    const first = await source.next(), kind = Object.hasOwn(LISTS, nameOf(name)) && first === '[' ? LISTS[nameOf(name)] : null;
    if (kind && !hasList) {
      hasList = true;
      if (kind === 'feature') checkSystem(system, source.line);
      source.take(1);
      yield* elements(source, kind);
      continue;
    }
    const value = await takeValue(source);
    if (nameOf(name) === 'crs') system = value;
    if (!hasList) members.push(`${name}:${value}`);
    length += hasList ? 0 : name.length + value.length;
    if (length > RECORD_CHARACTERS_MAX) throw new Unreadable(line, t.tooLong);
  }
  if (!hasList) yield { line, text: `{${members.join(',')}}`, kind: 'document' };
}

function nameOf(raw) {
  try { return JSON.parse(raw); } catch { return ''; }
}

/** GeoJSON of another coordinate system than WGS 84 is refused. */
function checkSystem(text, line) {
  let name = null;
  try { name = JSON.parse(text)?.properties?.name; } catch { /* a member without meaning */ }
  if (typeof name === 'string' && !['CRS84', ':4326', 'CRS:84'].some(known => name.includes(known))) throw new Unreadable(line, t.otherSystem(name));
}

/** Takes a value of JSON, whose brackets and quotes are looked at only. */
async function takeValue(source) {
  let depth = 0, isString = false;
  for (let i = 0;;) {
    const { text, at } = source;
    for (; at + i < text.length; i += 1) {
      const character = text[at + i];
      if (isString) {
        if (character === '\\') i += 1;
        else if (character === '"') isString = false;
        if (isString || depth > 0) continue;
        if (character === '"') return source.take(i + 1);
      } else if (character === '"') isString = true;
      else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') {
        if (depth === 0) return plainValue(source, i);
        depth -= 1;
        if (depth === 0) return source.take(i + 1);
      } else if (depth === 0 && (character === ',' || character <= ' ')) return plainValue(source, i);
    }
    if (!await source.more()) {
      if (depth > 0 || isString) throw new Unreadable(source.line, t.endsInside);
      return plainValue(source, i);
    }
  }
}

function plainValue(source, length) {
  if (length === 0) throw new Unreadable(source.line, t.notJSON);
  return source.take(length);
}

/** The characters between the fields of tables. */
const DELIMITERS = [',', ';', '\t'];

/** The character between the fields of a table: the most frequent one in its first row, outside of quotes. `usual` is returned if there is none. */
export async function delimiterOf(source, usual) {
  await source.next();
  const lineEnd = () => source.text.indexOf('\n', source.at);
  while (lineEnd() < 0 && source.text.length - source.at < FIRST_LINE_MAX && await source.more());
  const row = source.text.slice(source.at, lineEnd() < 0 ? undefined : lineEnd()).replace(/"[^"]*"/g, '');
  const numberOf = character => row.split(character).length - 1;
  const found = DELIMITERS.reduce((best, character) => numberOf(character) > numberOf(best) ? character : best, usual);
  return numberOf(found) ? found : usual;
}

/** The rows of a table (RFC 4180), as `{ line, fields: [{ text, isQuoted }] }` or `{ line, mistake }`. Empty rows are left out. */
export async function* tableRows(source, delimiter) {
  for (;;) {
    const { line } = source;
    let row = await source.takeLine();
    if (row === null) return;
    // A line break within quotes does not end the row. Each line is looked at once.
    for (let quotes = quotesAfter(row, delimiter, { isQuoted: false, isStart: true }); quotes.isQuoted;) {
      const more = await source.takeLine();
      if (more === null) break;
      quotes = quotesAfter(more, delimiter, quotes);
      row += more;
      if (row.length > RECORD_CHARACTERS_MAX) throw new Unreadable(line, t.tooLong);
    }
    row = row.replace(/\r?\n$/, '');
    if (row) yield { line, ...fieldsOf(row, delimiter) };
  }
}

/** Whether the end of a line is within quotes, and whether a field begins there; `before` is the same of the line before. */
function quotesAfter(line, delimiter, before) {
  let { isQuoted, isStart } = before;
  for (const character of line) {
    if (character === '"' && (isQuoted || isStart)) {
      isQuoted = !isQuoted;
      isStart = !isQuoted;
    } else isStart = !isQuoted && character === delimiter;
  }
  return { isQuoted, isStart };
}

function fieldsOf(row, delimiter) {
  const fields = [];
  for (let at = 0;;) {
    if (row[at] === '"') {
      const found = /"([^"]*(?:""[^"]*)*)"/y;
      found.lastIndex = at;
      const match = found.exec(row);
      if (!match) return { mistake: t.openQuote };
      fields.push({ text: match[1].replaceAll('""', '"'), isQuoted: true });
      at = found.lastIndex;
      if (at < row.length && row[at] !== delimiter) return { mistake: t.afterQuote };
    } else {
      const end = row.indexOf(delimiter, at), until = end < 0 ? row.length : end;
      fields.push({ text: row.slice(at, until), isQuoted: false });
      at = until;
    }
    if (at >= row.length) return { fields };
    at += 1;
  }
}
