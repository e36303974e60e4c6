// Design documents and functions to begin with: each works as it is.

const lines = (...list) => list.join('\n');

const MAP = lines('function (doc) {', '  emit(doc.type, 1);', '}');
const FILTER = lines('function (doc, req) {', '  return doc.type === (req.query.type || \'trip\');', '}');
const VALIDATION = lines(
  'function (newDoc, oldDoc, userCtx, secObj) {', '  if (newDoc._deleted) return;', '  if (!newDoc.type) {', '    throw({ forbidden: \'A document needs a type.\' });', '  }', '}');
const TEXT = lines(
  'function (doc) {', '  for (var name in doc) {', '    var value = doc[name];', '    if (name.charAt(0) !== \'_\' && typeof value === \'string\') {',
  '      index(\'default\', value);', '      index(name, value, { store: true });', '    }', '  }', '}');
const PLACES = lines('function (doc) {', '  if (doc.geometry && doc.geometry.coordinates) {', '    st_index(doc.geometry);', '  }', '}');
const UPDATE = lines(
  'function (doc, req) {', '  if (!doc) doc = { _id: req.id || req.uuid };', '  doc.changedBy = req.userCtx.name;', '  return [doc, \'Saved.\\n\'];', '}');
const SHOW = lines('function (doc, req) {', '  return { json: { id: doc ? doc._id : null } };', '}');
const LIST = lines(
  'function (head, req) {', '  start({ headers: { \'Content-Type\': \'text/csv\' } });', '  var row;', '  while ((row = getRow())) send(row.key + \',\' + row.value + \'\\n\');', '}');
const REWRITE = lines('function (req) {', '  return { path: \'../../_all_docs\' };', '}');

/** A function of the user's own that reduces, to begin with. */
export const REDUCE = lines('function (keys, values, rereduce) {', '  return sum(values);', '}');

/** For each kind of functions: what an entry has when it is added. */
export const STARTS = {
  view: { map: MAP, reduce: '_count' }, filter: FILTER, validation: VALIDATION, text: { analyzer: 'standard', index: TEXT }, places: { index: PLACES },
  update: UPDATE, show: SHOW, list: LIST, rewrite: REWRITE,
};

/** Design documents to begin with; the titles are texts. */
export const TEMPLATES = [
  { id: 'view', name: 'counts', body: { views: { byType: STARTS.view } } },
  { id: 'filter', name: 'filters', body: { filters: { byType: FILTER } } },
  { id: 'validation', name: 'rules', body: { validate_doc_update: VALIDATION } },
  { id: 'text', name: 'words', body: { indexes: { words: STARTS.text } } },
  { id: 'places', name: 'places', body: { st_indexes: { places: STARTS.places } } },
  { id: 'empty', name: '', body: {} },
];

/** The reduces of the server, and the analyzers of text indexes. */
export const REDUCES = ['_count', '_sum', '_stats', '_approx_count_distinct', '_first', '_last', '_top_10', '_bottom_10'];
export const ANALYZERS = [
  'standard', 'classic', 'simple', 'simple_asciifolding', 'whitespace', 'keyword', 'email', 'porter', 'english', 'arabic', 'armenian', 'basque', 'brazilian',
  'bulgarian', 'catalan', 'chinese', 'cjk', 'czech', 'danish', 'dutch', 'finnish', 'french', 'galician', 'german', 'greek', 'hindi', 'hungarian', 'indonesian',
  'irish', 'italian', 'japanese', 'latvian', 'norwegian', 'persian', 'polish', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'thai', 'turkish',
];
