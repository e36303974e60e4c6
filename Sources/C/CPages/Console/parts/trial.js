// Tries a function of a design document that is not saved yet on documents of the database.
import { path, session } from '../api.js';
import { actionButton, errorState, field, h, loadingState } from '../view.js';
import { texts } from '../texts.js';
import { bodyOf, plain, withMembers } from './json.js';
import { askNodes, rawValue } from './query-nodes.js';
import { runs } from './query-results.js';
import { sameElsewhere } from './same.js';
import { trialResults } from './trial-results.js';

/** The numbers of documents: of the first ones or those from an id on, and of chosen ones. */
const LIMIT_DEFAULT = 20, LIMIT_MAX = 100;
const t = texts.trial;

/** What the user entered for a trial; it is kept while other functions are chosen. */
export const trialValues = () => ({ from: 'first', limit: LIMIT_DEFAULT, ids: '', start: '', query: '', user: session.name, roles: session.roles.join(', '), isNew: false });

/**
 * The part with which a function is tried.
 *
 * @param page `{ state, values, signal }`; `values` is of `trialValues`.
 * @param entry The entry of the function.
 * @param failed `failed(error)` shows an error of the function's text, and returns whether it did.
 * @returns `{ element, run }`.
 */
export function trialPart(page, entry, failed) {
  const { state, values, signal } = page, output = h('div', { class: 'stack' }), spoken = h('p', { class: 'hidden', role: 'status' }), requests = runs(signal);
  const documents = documentFields(values), others = argumentFields(entry.kind.id, values);
  const body = () => ({
    kind: entry.kind.trial, ...(entry.name ? { name: entry.name } : {}), ...documents.members(), ...others.members(),
    design: withMembers(state.node, { _id: plain(state.id) }),
  });
  const address = path(state.database, '_godwit', 'trial');
  const run = async () => {
    const own = requests.next();
    output.replaceChildren(loadingState());
    failed(null);
    try {
      const { answer, milliseconds } = await askNodes('POST', address, bodyOf(body()), { signal: own, tooLarge: t.tooLarge });
      if (own.aborted) return;
      output.replaceChildren(...trialResults(state.database, entry, answer, { milliseconds, state }));
      spoken.textContent = output.querySelector('p').textContent;
    } catch (error) {
      if (error.name === 'AbortError' || own.aborted) return;
      output.replaceChildren(...(failed(error) ? [] : [errorState(error)]));
    }
  };
  const button = actionButton(t.run, run, { title: t.keys });
  const element = h('section', { class: 'trial stack' }, h('h2', null, t.title), h('p', { class: 'note' }, t.notes[entry.kind.id]),
    h('div', { class: 'form-grid' }, documents.elements, others.elements), h('div', { class: 'buttons' }, button, h('span', { class: 'note' }, t.keys)), output, spoken,
    sameElsewhere(() => [{ method: 'POST', address, body: { ...body(), design: rawValue(body().design) } }]));
  return { element, run: () => button.disabled || button.click() };
}

// ---- What the function gets

function documentFields(values) {
  const from = h('select', { value: values.from }, Object.entries(t.from).map(([key, words]) => h('option', { value: key, selected: key === values.from }, words)));
  const limit = h('input', { type: 'number', min: 1, max: LIMIT_MAX, step: 1, value: values.limit });
  const start = h('input', { value: values.start, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const ids = h('textarea', { rows: 3, value: values.ids, spellcheck: 'false' });
  const limitField = field(t.limit, limit), startField = field(t.start, start), idsField = field(t.ids, ids, t.idsNote(LIMIT_MAX));
  const update = () => {
    Object.assign(values, { from: from.value, limit: limit.value, start: start.value, ids: ids.value });
    limitField.hidden = from.value === 'ids';
    startField.hidden = from.value !== 'start';
    idsField.hidden = from.value !== 'ids';
  };
  for (const input of [limit, start, ids]) input.addEventListener('input', update);
  from.addEventListener('change', update);
  update();
  return {
    elements: [field(t.documents, from), limitField, startField, idsField],
    members() {
      if (values.from === 'ids') return { ids: values.ids.split('\n').filter(id => id !== '').slice(0, LIMIT_MAX) };
      const number = Math.min(LIMIT_MAX, Math.max(1, Math.round(Number(values.limit)) || LIMIT_DEFAULT));
      return { limit: number, ...(values.from === 'start' && values.start ? { startkey: values.start } : {}) };
    },
  };
}

/** The fields for the other arguments of a filter and of a validation. */
function argumentFields(kind, values) {
  const input = (key, attributes) => {
    const element = h('input', { value: values[key], autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', oninput: () => { values[key] = element.value; }, ...attributes });
    return element;
  };
  if (kind === 'filter') {
    const query = h('textarea', { rows: 3, value: values.query, spellcheck: 'false', oninput: () => { values.query = query.value; } });
    return { elements: [field(t.query, query, t.queryNote)], members: () => ({ query: parameters(values.query), ...user(values) }) };
  }
  if (kind !== 'validation') return { elements: [], members: () => ({}) };
  const isNew = h('input', { type: 'checkbox', checked: values.isNew, onchange: () => { values.isNew = isNew.checked; } });
  return {
    elements: [field(t.user, input('user'), t.userNote), field(t.roles, input('roles'), t.rolesNote), h('div', { class: 'field' }, h('label', { class: 'check' }, isNew, t.isNew), h('p', { class: 'note' }, t.isNewNote))],
    members: () => ({ ...user(values), isNew: values.isNew }),
  };
}

const user = values => ({ user: { name: values.user.trim() || null, roles: values.roles.split(',').map(role => role.trim()).filter(Boolean) } });

/** The lines `name=value` as an object. */
function parameters(text) {
  return Object.fromEntries(text.split('\n').filter(line => line.trim()).map(line => {
    const at = line.indexOf('=');
    return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)];
  }));
}
