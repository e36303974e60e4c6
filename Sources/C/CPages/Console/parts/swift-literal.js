// JSON values as literals of Swift.

const ESCAPES = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as a literal of Swift. */
export function swiftText(text) {
  return `"${String(text).replace(/[\\"\u0000-\u001f\u007f\u2028\u2029]/g,
    character => ESCAPES[character] || `\\u{${character.charCodeAt(0).toString(16)}}`)}"`;
}

/** A JSON value as a literal of Swift. */
export function swiftLiteral(value) {
  if (value === null) return '.null';
  if (typeof value === 'string') return swiftText(value);
  if (Array.isArray(value)) return `[${value.map(swiftLiteral).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(([name, item]) => `${swiftText(name)}: ${swiftLiteral(item)}`);
  return members.length ? `[${members.join(', ')}]` : '[:]';
}
