// The chosen part of a design document: the editors of a function and its settings, or the options of the document.
import { button, field, h } from '../view.js';
import { texts } from '../texts.js';
import { at, functionPath, isText, textOf, withAt, withText } from './design-model.js';
import { ANALYZERS, REDUCE, REDUCES } from './design-templates.js';
import { codeEditor } from './editor.js';
import { format, parse, plain, valueOf } from './json.js';
import { jsonField } from './json-text.js';

const OWN = 'own', NONE = '', JSON_CHOICE = 'json';
const t = texts.design;

/**
 * The editors of an entry.
 *
 * @param page `{ state, change(node), isReadOnly }`; `page.mistake` becomes the mistake of a text that cannot be saved, or `null`.
 * @returns `{ elements, editor, reduce() }`: `editor` is that of the function, `null` for one that is no JavaScript, and
 *   `reduce()` that of a function that reduces, or `null`.
 */
export async function entryEditors(page, entry) {
  const { state, change, isReadOnly } = page, path = functionPath(entry), node = at(state.node, path);
  if (!isText(node)) {
    return { elements: [h('p', { class: 'note' }, t.noText), h('pre', { class: 'code-line', tabindex: '0' }, format(at(state.node, entry.path)))], editor: null, reduce: () => null };
  }
  const editor = await codeEditor({
    label: t.textOf(t.kinds[entry.kind.id], entry.name), text: textOf(node), isReadOnly, onChange: text => change(withText(state.node, path, text)),
  });
  const title = h('h3', null, entry.kind.id === 'view' ? t.map : t.function);
  const more = await ({ view: viewParts, text: textParts }[entry.kind.id] || (async () => ({ elements: [] })))(page, entry);
  return { elements: [title, editor.element, ...more.elements], editor, reduce: more.reduce || (() => null) };
}

// ---- Views

async function viewParts(page, entry) {
  const { state, change, isReadOnly } = page, path = [...entry.path, 'reduce'], place = h('div', { class: 'stack' });
  const found = at(state.node, path);
  // A reduce that is no text stays as it is.
  if (found && !isText(found)) return { elements: [h('p', { class: 'note' }, t.noText), h('pre', { class: 'code-line', tabindex: '0' }, format(found))] };
  let text = found ? textOf(found) : NONE, editor = null;
  const isBuiltIn = text.trim().startsWith('_'), names = isBuiltIn && !REDUCES.includes(text.trim()) ? [...REDUCES, text.trim()] : REDUCES;
  const choice = h('select', { disabled: isReadOnly }, h('option', { value: NONE }, t.noReduce), names.map(name => h('option', { value: name }, name)), h('option', { value: OWN }, t.ownReduce));
  choice.value = text === NONE ? NONE : isBuiltIn ? text.trim() : OWN;
  const draw = async () => {
    editor = null;
    place.replaceChildren();
    if (choice.value !== OWN) return;
    const made = await codeEditor({
      label: t.textOf(t.reduce, entry.name), text, isReadOnly, onChange: changed => { text = changed; change(withText(state.node, path, changed)); } });
    if (choice.value !== OWN) return;
    editor = made;
    place.replaceChildren(editor.element);
  };
  choice.addEventListener('change', () => {
    if (choice.value === OWN) {
      if (!text || text.trim().startsWith('_')) text = REDUCE;
      change(withText(state.node, path, text));
    } else change(withAt(state.node, path, choice.value === NONE ? undefined : plain(choice.value)));
    draw();
  });
  await draw();
  return { elements: [h('div', { class: 'narrow' }, field(t.reduceChoice, choice, t.reduceNote)), place, collation(page, entry)], reduce: () => editor };
}

function collation({ state, change, isReadOnly }, entry) {
  const path = [...entry.path, 'options', 'collation'];
  const box = h('input', {
    type: 'checkbox', checked: valueOf(at(state.node, path)) === 'raw', disabled: isReadOnly, onchange: () => change(withAt(state.node, path, box.checked ? plain('raw') : undefined)) });
  return h('label', { class: 'check' }, box, t.raw);
}

// ---- Text indexes

async function textParts(page, entry) {
  const { state, change, isReadOnly } = page, path = [...entry.path, 'analyzer'], found = at(state.node, path);
  const isName = !found || (isText(found) && ANALYZERS.includes(textOf(found)));
  const choice = h('select', { disabled: isReadOnly },
    h('option', { value: NONE }, t.defaultAnalyzer), ANALYZERS.map(name => h('option', { value: name }, name)), h('option', { value: JSON_CHOICE }, t.jsonAnalyzer));
  choice.value = !found ? NONE : isName ? textOf(found) : JSON_CHOICE;
  const json = jsonField(t.analyzerJSON, found ? format(found) : '', { rows: 4, note: t.analyzerNote });
  json.area.readOnly = isReadOnly;
  json.element.hidden = choice.value !== JSON_CHOICE;
  json.area.addEventListener('input', () => {
    page.mistake = null;
    try { change(withAt(state.node, path, json.area.value.trim() ? parse(json.area.value) : undefined)); } catch (error) { page.mistake = error.message; }
  });
  choice.addEventListener('change', () => {
    page.mistake = null;
    json.element.hidden = choice.value !== JSON_CHOICE;
    if (choice.value !== JSON_CHOICE) return change(withAt(state.node, path, choice.value === NONE ? undefined : plain(choice.value)));
    const start = plain({ name: 'perfield', default: 'standard', fields: { code: 'keyword' } });
    if (!json.area.value.trim() || ANALYZERS.some(name => json.area.value === JSON.stringify(name))) json.area.value = format(start);
    json.area.dispatchEvent(new Event('input'));
  });
  return { elements: [h('div', { class: 'narrow stack' }, field(t.analyzer, choice), json.element)] };
}

// ---- Options of the document

/** The options of the document that views have. `isPartitioned` is a property of the database. */
export function optionsPanel({ state, change, isReadOnly, isPartitioned }) {
  const option = name => ['options', name], value = name => valueOf(at(state.node, option(name)));
  const check = name => {
    const box = h('input', {
      type: 'checkbox', checked: value(name) === true, disabled: isReadOnly, onchange: () => change(withAt(state.node, option(name), box.checked ? plain(true) : undefined)) });
    return h('label', { class: 'check' }, box, t.optionNames[name]);
  };
  const partitioned = h('select', { disabled: isReadOnly }, Object.entries(t.partitionChoices).map(([key, words]) => h('option', { value: key }, words)));
  partitioned.value = value('partitioned') === undefined ? '' : String(value('partitioned'));
  partitioned.addEventListener('change', () => change(withAt(state.node, option('partitioned'), partitioned.value === '' ? undefined : plain(partitioned.value === 'true'))));
  return [
    h('h2', null, t.options), h('p', { class: 'note' }, t.optionsNote),
    (isPartitioned || partitioned.value !== '') && h('div', { class: 'narrow' }, field(t.partitioned, partitioned)),
    check('include_design'), check('local_seq'),
  ].filter(Boolean);
}

// ---- What can be done with a function

/** The buttons of an entry. `isSaved` tells whether the saved document has it, so that its results can be shown. */
export function entryButtons(page, entry, { rename, remove, isSaved }) {
  const { database, id } = page.state, name = entry.name, design = id.slice('_design/'.length);
  const query = kind => `#/queries?${new URLSearchParams({ db: database, kind, index: `${design}/${name}` })}`;
  const links = { view: [t.showView, query('view')], text: [t.showText, query('text')], places: [t.showMap, `/_map#/${[database, '_design', design, '_geo', name].map(encodeURIComponent).join('/')}`] };
  const link = isSaved && links[entry.kind.id];
  return h('div', { class: 'buttons' },
    link && h('a', { class: 'as-button', href: link[1], ...(link[1].startsWith('/') ? { target: '_blank', rel: 'noopener' } : {}) }, link[0]),
    !page.isReadOnly && !entry.kind.isSingle && button(t.rename, rename, { 'aria-label': t.renameName(name) }),
    !page.isReadOnly && button(t.remove, remove, { class: 'danger-quiet', 'aria-label': t.removeName(name || t.kinds[entry.kind.id]) }));
}
