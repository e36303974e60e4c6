// A field in which the user chooses a database: the names that begin with the typed text are offered.
import { get, isAdministrator, withQuery } from '../api.js';
import { button, field, h } from '../view.js';
import { texts } from '../texts.js';

const NAMES_MAX = 20;
const TYPING_MILLISECONDS = 200;
const t = texts.queries;

/** An input with a list of names. Who may not list databases types the name. */
export function databaseInput(value, signal, attributes) {
  const list = h('datalist', { id: `names-${Math.random().toString(36).slice(2)}` });
  const input = h('input', {
    value, list: list.id, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes,
  });
  let typing = 0;
  const offer = async () => {
    const prefix = input.value.trim();
    const range = prefix ? { startkey: JSON.stringify(prefix), endkey: JSON.stringify(`${prefix}\ufff0`) } : {};
    try {
      const names = await get(withQuery('/_all_dbs', { ...range, limit: NAMES_MAX }), { signal });
      list.replaceChildren(...names.map(name => h('option', { value: name })));
    } catch { /* the name can be typed without the list */ }
  };
  if (isAdministrator()) {
    offer();
    input.addEventListener('input', () => {
      clearTimeout(typing);
      typing = setTimeout(offer, TYPING_MILLISECONDS);
    });
  }
  return { input, list };
}

/** A form with the field: `choose(name)` is called when the user submits it. */
export function databaseForm(value, choose, signal, ...more) {
  const { input, list } = databaseInput(value, signal, { required: true });
  return h('form', {
    class: 'database-form', onsubmit: event => {
      event.preventDefault();
      if (input.value.trim()) choose(input.value.trim());
    },
  }, field(t.database, input), list, h('div', { class: 'buttons' }, h('button', null, t.open),
    value && button(t.showDatabase, () => { location.hash = `#/database/${encodeURIComponent(value)}`; }, { class: 'quiet' }), ...more));
}
