// Documents as features of a map.
import { member } from './json.js';
import { textOf } from './query-nodes.js';

/** The members of a document, or of its properties, that are shown as its name. */
const NAMES = ['name', 'NAME', 'title'];
const NAME_CHARACTERS = 80;

/** The name of a document for lists and maps: one of its members, or its id. */
export function nameOf(doc, id) {
  const found = NAMES.flatMap(key => [member(member(doc, 'properties'), key), member(doc, key)])
    .find(node => node?.kind === 'plain' && textOf(node).trim() && node.raw !== 'null');
  const text = textOf(found) || id;
  return text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS)}…` : text;
}
