// The plan of a query with a selector: which index, which range, and what is checked afterwards.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { compact, member, valueOf } from './json.js';
import { fieldWords, indexButton } from './query-index.js';

const t = texts.queries.plan;

/** The plan as steps; the answer is a node. `again` explains the query again after an index was created. */
export function planOf(node, { database, mayIndex }, again) {
  const answer = valueOf(node), isComplete = answer.index.type === 'special', used = answer.indexes?.length ? answer.indexes : [answer.index];
  const steps = [
    isComplete ? step(t.allDocuments, t.allDocumentsNote, 'plan-slow')
      : used.map(index => step(t.index(index.name, index.type), definition(index.def), 'plan-good')),
    // With several indexes there is a range of each, which only the words describe.
    used.length === 1 && range(member(node, 'mrargs'), isComplete),
    step(answer.covering ? t.noDocuments : t.documents, null),
    filtered(member(node, 'selector'), used),
    answer.opts.sort && Object.keys(answer.opts.sort).length > 0 && step(t.sort, JSON.stringify(answer.opts.sort)),
    step(t.result(answer.limit), Array.isArray(answer.fields) && answer.fields.length ? answer.fields.join(', ') : null),
  ];
  return h('section', { class: 'plan', 'aria-label': t.title },
    h('h2', null, t.title), answer.in_words && h('p', null, answer.in_words),
    h('ol', { class: 'plan-steps' }, steps.flat().filter(Boolean)),
    isComplete && mayIndex && answer.suggested_index && indexButton(database, answer.suggested_index, again),
    others(answer.index_candidates?.filter(item => !used.some(index => index.ddoc === item.index.ddoc && index.name === item.index.name))));
}

function step(title, note, look) {
  return h('li', { class: look }, h('strong', null, title), note && h('code', null, note));
}

/** The fields of an index in their order; the path of a geospatial index. */
function definition(def) {
  const fields = Array.isArray(def?.fields) ? def.fields : null;
  if (fields && !fields.length) return t.allFields;
  if (!fields) return JSON.stringify(def);
  return fieldWords(fields);
}

function range(node, isComplete) {
  const args = valueOf(node);
  if (!args || args.start_key === undefined || isComplete && args.start_key === null) return null;
  const isWhole = [args.start_key, args.end_key].every(key => Array.isArray(key) && (!key.length || key.length === 1 && key[0] === '<MAX>'));
  const keyOf = name => member(node, name) ? compact(member(node, name)) : '';
  const keys = isWhole ? t.wholeRange : `${keyOf('start_key')} … ${keyOf('end_key')}`;
  return step(t.range, args.direction === 'rev' ? `${keys} ${t.reverse}` : keys);
}

/** The conditions on fields that are not in the index. */
function filtered(selector, used) {
  const indexed = new Set(used.length > 1 ? [] : (Array.isArray(used[0].def?.fields) ? used[0].def.fields : [])
    .map(item => typeof item === 'string' ? item : item.name || Object.keys(item)[0]));
  // The text index has answered `$text`.
  if (used[0].type === 'text') indexed.add('$default').add('$text');
  const parts = member(selector, '$and')?.items || selector.members.map(item => ({ kind: 'object', members: [item] }));
  const rest = parts.filter(part => !part.members?.every(item => indexed.has(item.key)));
  return rest.length ? step(t.filter, rest.map(compact).join('\n')) : step(t.noFilter, null);
}

function others(candidates) {
  if (!candidates?.length) return null;
  return h('details', null, h('summary', null, t.others(candidates.length)), h('ul', { class: 'plain-list' }, candidates.map(item =>
    h('li', null, h('code', null, item.index.name), ' ',
      item.analysis.reasons.map(reason => t.reasons[reason.name] || reason.name).join(', ')))));
}
