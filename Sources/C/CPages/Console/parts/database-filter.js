// The filter of a list of documents: a selector as JSON, to which a row of fields adds conditions.
import { button, field, h } from '../view.js';
import { texts } from '../texts.js';
import { format, member, parse, plain } from './json.js';

const t = texts.database;

/** The comparisons of a condition, with the condition that each one makes of the typed value. */
const COMPARISONS = {
  $eq: value => value, $ne: value => plainOf('$ne', value), $gt: value => plainOf('$gt', value), $gte: value => plainOf('$gte', value),
  $lt: value => plainOf('$lt', value), $lte: value => plainOf('$lte', value),
  $beginsWith: (value, typed) => plainOf('$beginsWith', plain(typed)), $exists: () => plain({ $exists: true }), missing: () => plain({ $exists: false }),
};
const NEEDS_NO_VALUE = ['$exists', 'missing'];

const plainOf = (operator, node) => ({ kind: 'object', members: [{ key: operator, node }] });

/** The typed value as a node: JSON where it is JSON, such as 10, true or "10", and a text otherwise. */
function typedValue(text) {
  try { return parse(text.trim()); } catch { return plain(text); }
}

/** The selector with a further condition: a field that has one already keeps it. */
function withCondition(selector, name, condition) {
  if (!member(selector, name)) return { kind: 'object', members: [...selector.members, { key: name, node: condition }] };
  return { kind: 'object', members: [{ key: '$and', node: { kind: 'array', items: [selector, plainOf(name, condition)] } }] };
}

/** The part with the filter: `offerNames(list)` offers names of fields, and `changed()` is called when a filter is applied. */
export function filterPart(state, changed) {
  const area = h('textarea', { rows: 3, spellcheck: 'false', 'aria-label': t.selector, placeholder: '{"field": {"$gt": 10}}', value: state.selector });
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), names = h('datalist', { id: 'field-names' });
  const check = () => {
    try {
      if (area.value.trim() && parse(area.value).kind !== 'object') throw new Error(t.selectorObject);
      refusal.hidden = true;
      return true;
    } catch (error) {
      refusal.textContent = error.message;
      refusal.hidden = false;
      return false;
    }
  };
  const apply = text => { area.value = text; if (check()) { state.selector = text.trim(); changed(); } };
  const add = (name, condition) => {
    if (!check()) return;
    apply(format(withCondition(area.value.trim() ? parse(area.value) : plain({}), name, condition)));
  };
  area.addEventListener('input', () => { if (!refusal.hidden) check(); });
  area.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) apply(area.value); });
  return {
    element: h('details', { class: 'same', open: Boolean(state.selector) }, h('summary', null, t.filter), h('div', { class: 'form filter' },
      conditionForm(names, add), h('p', { class: 'note' }, t.filterNote), area, refusal,
      h('div', { class: 'buttons' }, button(t.apply, () => apply(area.value), { class: 'primary' }), button(t.clear, () => apply(''))))),
    offerNames: list => names.replaceChildren(...list.map(name => h('option', { value: name }))),
  };
}

/** The form of a condition: a field, a comparison and a value. */
function conditionForm(names, add) {
  const attributes = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
  const name = h('input', { ...attributes, required: true, list: names.id, placeholder: 'address.city' });
  const value = h('input', attributes);
  const comparison = h('select', { onchange: () => { value.disabled = NEEDS_NO_VALUE.includes(comparison.value); } },
    Object.keys(COMPARISONS).map(key => h('option', { value: key }, t.comparisons[key])));
  return h('form', {
    class: 'condition', onsubmit: event => {
      event.preventDefault();
      add(name.value.trim(), COMPARISONS[comparison.value](typedValue(value.value), value.value));
      name.value = value.value = '';
    },
  }, field(t.conditionField, name), names, field(t.comparison, comparison), field(t.value, value), h('button', null, t.addCondition));
}
