// The form that starts a replication, as a document of `_replicator`.
import { ask, path } from '../api.js';
import { button, dialog, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { databaseInput } from './database-field.js';
import { bodyOf } from './json.js';
import { isObject, jsonField, JSONMistake } from './json-text.js';

const IDS_MAX = 1000;
const t = texts.replications;

/** Opens the form. `done` is called after a replication was started. */
export function startReplication(signal, done) {
  dialog(t.start, close => {
    const source = endpoint(t.source, 'source', signal), target = endpoint(t.target, 'target', signal);
    const id = h('input', { autocomplete: 'off', spellcheck: 'false' });
    const isContinuous = h('input', { type: 'checkbox' }), creates = h('input', { type: 'checkbox', checked: true });
    const choice = selection(), refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    const submit = h('button', { class: 'primary' }, t.start);
    const begin = async () => {
      refusal.hidden = true;
      submit.disabled = true;
      try {
        const body = {
          ...(id.value.trim() && { _id: id.value.trim() }), source: source.read(), target: target.read(),
          continuous: isContinuous.checked, create_target: creates.checked, ...choice.read(),
        };
        await ask('POST', path('_replicator'), bodyOf(body));
        close();
        toast(t.started);
        done();
      } catch (error) {
        if (!(error instanceof JSONMistake)) {
          refusal.textContent = error.message;
          refusal.hidden = false;
        }
      } finally {
        submit.disabled = false;
      }
    };
    return h('form', { class: 'form', onsubmit: event => { event.preventDefault(); begin(); } },
      h('div', { class: 'form-grid' }, source.element, target.element),
      h('div', { class: 'checks' }, h('label', { class: 'check' }, isContinuous, t.continuous), h('label', { class: 'check' }, creates, t.createTarget)),
      choice.element, field(t.documentID, id, t.documentIDNote), refusal,
      h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  }, { class: 'wide' });
}

/** The choice of a database of this server, or of an address with a user and a password. */
function endpoint(title, name, signal) {
  const radio = (value, isChecked) => h('input', { type: 'radio', name: `${name}-kind`, value, checked: isChecked });
  const isHere = radio('here', true), isAway = radio('away', false);
  const { input, list } = databaseInput('', signal, { required: true });
  const url = h('input', { type: 'url', required: true, placeholder: 'https://couch.example.org/trips', autocomplete: 'off', spellcheck: 'false' });
  const user = h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const password = h('input', { type: 'password', autocomplete: 'new-password' });
  const here = h('div', null, field(t.databaseName, input), list), place = h('div');
  const away = h('div', { class: 'form' }, field(t.address, url), field(t.user, user), field(t.password, password));
  const update = () => {
    // A password is in the page only when it is needed.
    place.replaceChildren(isHere.checked ? here : away);
  };
  isHere.addEventListener('change', update);
  isAway.addEventListener('change', update);
  update();
  const element = h('fieldset', { class: 'choice' }, h('legend', null, title),
    h('div', { class: 'checks' }, h('label', { class: 'check' }, isHere, t.here), h('label', { class: 'check' }, isAway, t.away)), place);
  const read = () => {
    if (isHere.checked) return input.value.trim();
    const auth = user.value ? { auth: { basic: { username: user.value, password: password.value } } } : {};
    return { url: url.value.trim(), ...auth };
  };
  return { element, read };
}

/** All documents, those of a selector, or those with some ids. */
function selection() {
  const radios = Object.fromEntries(['all', 'selector', 'ids'].map(value =>
    [value, h('input', { type: 'radio', name: 'selection', value, checked: value === 'all' })]));
  const selector = jsonField(t.selector, '{"type": "trip"}', { rows: 2, accepts: value => isObject(value) ? null : t.notObject });
  const ids = h('textarea', { rows: 3, spellcheck: 'false' });
  const idField = field(t.ids, ids, t.idsNote);
  const update = () => {
    selector.element.hidden = !radios.selector.checked;
    idField.hidden = !radios.ids.checked;
  };
  for (const radio of Object.values(radios)) radio.addEventListener('change', update);
  update();
  const element = h('fieldset', { class: 'choice' }, h('legend', null, t.documents),
    h('div', { class: 'checks' }, Object.entries(radios).map(([name, radio]) => h('label', { class: 'check' }, radio, t.selections[name]))),
    selector.element, idField);
  const read = () => {
    if (radios.selector.checked) return { selector: selector.node() ?? {} };
    if (radios.ids.checked) return { doc_ids: ids.value.split('\n').filter(Boolean).slice(0, IDS_MAX) };
    return {};
  };
  return { element, read };
}
