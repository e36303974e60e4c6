// The form of a new index for selectors: its fields in their order, a name, and the documents that it contains.
import { ask, get, path } from '../api.js';
import { button, dialog, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { fieldNames } from './database-columns.js';
import { readPage } from './database-pages.js';
import { bodyOf, plain } from './json.js';
import { isObject, jsonField, JSONMistake } from './json-text.js';
import { DESIGN, freeName, fieldWords } from './query-index.js';

/** The maximum number of fields of the form. */
const FIELDS_MAX = 10;
const t = texts.indexForm;

/** Opens the form. `done()` is called after the index was made. */
export function indexDialog({ database, signal }, done) {
  dialog(t.title, close => {
    const names = h('datalist', { id: 'index-field-names' }), fields = fieldList(names.id);
    const name = h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
    const partial = jsonField(t.partial, '', { rows: 2, note: t.partialNote, accepts: value => isObject(value) ? null : texts.queries.notObject });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), submit = h('button', { class: 'primary' }, t.make);
    offerNames(names, database, signal);
    const make = async () => {
      const index = { fields: fields.read(), partial_filter_selector: partial.node() };
      await makeNamed(database, name.value.trim(), index);
      close();
      toast(texts.queries.plan.indexMade(fieldWords(index.fields)));
      done();
    };
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        refusal.hidden = submit.disabled = true;
        try {
          await make();
        } catch (error) {
          if (error instanceof JSONMistake) return;
          refusal.textContent = error.message;
          refusal.hidden = false;
        } finally {
          submit.disabled = false;
        }
      },
    }, h('p', { class: 'note' }, t.note), names, fields.element, field(t.name, name, t.nameNote), partial.element, refusal,
    h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  });
}

/** Makes the index. Without a name it gets one of its fields, and a name that is taken is refused: the server would replace that index. */
async function makeNamed(database, typed, { fields, partial_filter_selector: partial }) {
  const { indexes } = await get(path(database, '_index')), name = typed || freeName(indexes, fields);
  if (typed && indexes.some(item => item.ddoc === `_design/${DESIGN}` && item.name === typed)) throw new Error(t.taken(typed));
  const members = [{ key: 'fields', node: plain(fields) }, ...(partial ? [{ key: 'partial_filter_selector', node: partial }] : [])];
  await ask('POST', path(database, '_index'), bodyOf({ index: { kind: 'object', members }, ddoc: DESIGN, name, type: 'json' }));
}

/** The rows of fields: each has a path and an order. `read()` returns the fields as in the body of a request. */
function fieldList(namesId) {
  const rows = h('div', { class: 'stack' });
  const row = () => {
    const number = rows.children.length + 1;
    const path = h('input', { required: true, list: namesId, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', placeholder: 'address.city' });
    const order = h('select', null, ['asc', 'desc'].map(value => h('option', { value }, t.orders[value])));
    const element = h('div', { class: 'index-field' }, field(t.field(number), path), field(t.order, order),
      number > 1 && button(texts.applications.remove, () => { element.remove(); update(); add.focus(); }));
    return element;
  };
  const add = button(t.addField, () => {
    rows.append(row());
    update();
    rows.lastElementChild.querySelector('input').focus();
  });
  const update = () => {
    add.disabled = rows.children.length >= FIELDS_MAX;
    [...rows.children].forEach((element, i) => { element.querySelector('label').textContent = t.field(i + 1); });
  };
  rows.append(row());
  return {
    element: h('div', { class: 'stack' }, rows, h('div', { class: 'buttons' }, add)),
    read: () => [...rows.children].map(element => {
      const path = element.querySelector('input').value.trim();
      return element.querySelector('select').value === 'desc' ? { [path]: 'desc' } : path;
    }),
  };
}

/** Offers the fields of the first documents. */
async function offerNames(list, database, signal) {
  try {
    const { rows } = await readPage(database, { prefix: '', selector: '' }, null, signal);
    list.replaceChildren(...fieldNames(rows).map(value => h('option', { value })));
  } catch { /* the fields can be typed without the list */ }
}
