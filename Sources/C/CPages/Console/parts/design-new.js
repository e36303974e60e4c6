// A new design document: its name, and what it begins with.
import { get, path, swiftDatabase, withQuery } from '../api.js';
import { field, h, load } from '../view.js';
import { texts } from '../texts.js';
import { TEMPLATES } from './design-templates.js';
import { mayAdminister } from './rights.js';
import { sameElsewhere } from './same.js';
import { swiftLiteral, swiftText } from './swift-literal.js';

const t = texts.design;

/** @param open `open(name, body)` opens the page of the new document, which is not saved yet. */
export function showNew(host, database, open, signal) {
  return load(host, () => mayAdminister(database, signal), mayAdmin => mayAdmin ? form(database, open, signal) : h('p', { class: 'warning' }, texts.document.onlyAdministrators), signal);
}

function form(database, open, signal) {
  const name = h('input', { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', value: TEMPLATES[0].name });
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), submit = h('button', { class: 'primary' }, t.continue);
  let chosen = TEMPLATES[0];
  const choose = template => {
    if (!name.value || name.value === chosen.name) name.value = template.name;
    chosen = template;
  };
  const begin = async () => {
    const wanted = name.value.trim().replace(/^_design\//, '');
    refusal.hidden = true;
    submit.disabled = true;
    try {
      if (!wanted) throw new Error(t.noName);
      if (await exists(database, wanted, signal)) throw new Error(t.nameTaken(wanted));
      open(wanted, chosen.body);
    } catch (error) {
      if (error.name === 'AbortError') return;
      refusal.textContent = error.message;
      refusal.hidden = false;
    } finally {
      submit.disabled = false;
    }
  };
  return [h('form', { class: 'form', onsubmit: event => { event.preventDefault(); begin(); } },
    h('div', { class: 'narrow' }, field(t.documentName, name, t.documentNameNote)),
    h('fieldset', { class: 'choice' }, h('legend', null, t.beginWith), TEMPLATES.map(template => h('label', { class: 'template' },
      h('input', { type: 'radio', name: 'template', checked: template === chosen, onchange: () => choose(template) }),
      h('span', null, h('strong', null, t.templates[template.id][0]), h('span', { class: 'note' }, t.templates[template.id][1]))))),
    refusal, h('div', { class: 'buttons' }, submit, h('span', { class: 'note' }, t.notSavedYet))),
  sameElsewhere(() => [{ method: 'PUT', address: `${path(database)}/_design/${encodeURIComponent(name.value.trim() || 'NAME')}`, body: chosen.body }],
    () => `${swiftDatabase(database)}\nlet design = Document(id: ${swiftText(`_design/${name.value.trim() || 'NAME'}`)}, body: ${swiftLiteral(chosen.body)})\n_ = try await database.create(design)`)];
}

/** Asked as a list: a missing document is an answer, not an error. */
export async function exists(database, name, signal) {
  const { rows } = await get(withQuery(path(database, '_design_docs'), { key: JSON.stringify(`_design/${name}`) }), { signal });
  return rows.some(row => row.id === `_design/${name}`);
}
