// The settings of the server, with their meaning. A change applies at once.
import { ask, get } from '../api.js';
import { sameElsewhere } from '../parts/same.js';
import { button, confirm, dialog, field, h, load, toast } from '../view.js';
import { texts } from '../texts.js';

const ROOT = '/_node/_local/_config';
/** The text that the server shows in place of a secret. */
const HIDDEN = '(hidden)';
const t = texts.settings;

export async function show(host, route, signal) {
  const list = h('div', { class: 'settings' });
  const search = h('input', { type: 'search', 'data-search': true, placeholder: t.search, 'aria-label': t.search, spellcheck: 'false' });
  host.replaceChildren(h('div', { class: 'head' }, h('h1', null, t.title), button(t.add, () => edit('', '', '', again), { class: 'primary' })), h('p', { class: 'note' }, t.note), search, list);
  let settings = {};
  const draw = () => sections(settings, search.value.trim().toLowerCase(), again);
  const again = () => load(list, async () => { settings = await get(ROOT, { signal }); }, () => [...draw(), sameElsewhere([{ address: ROOT }])], signal);
  search.addEventListener('input', () => list.replaceChildren(...draw()));
  await again();
}

function sections(settings, wanted, again) {
  return Object.entries(settings).sort().map(([section, keys]) => {
    const rows = Object.entries(keys).filter(([key]) => `${section}/${key} ${t.keys[`${section}/${key}`] || ''}`.toLowerCase().includes(wanted));
    return rows.length > 0 && h('section', null, h('h2', null, section), h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': section }, h('table', { class: 'data-table' },
      h('caption', { class: 'hidden' }, section), h('thead', null, h('tr', null, [t.key, t.value, t.actions].map(title => h('th', { scope: 'col' }, title)))),
      h('tbody', null, rows.map(([key, value]) => row(section, key, value, again))))));
  }).filter(Boolean);
}

function row(section, key, value, again) {
  const meaning = t.keys[`${section}/${key}`] || t.sections[section];
  return h('tr', null, h('th', { scope: 'row' }, h('code', null, key), meaning && h('p', { class: 'note' }, meaning)),
    h('td', null, section === 'admins' ? t.hash : value),
    h('td', null, h('div', { class: 'row-buttons' }, button(t.change, () => edit(section, key, section === 'admins' ? '' : value, again), { 'aria-label': t.changeKey(section, key) }))));
}

/** Changes a setting, or adds one if there is no key yet. */
function edit(section, key, value, again) {
  const isNew = key === '';
  dialog(isNew ? t.add : `${section}/${key}`, close => {
    const sectionInput = h('input', { value: section, required: true, autocomplete: 'off', spellcheck: 'false' });
    const keyInput = h('input', { value: key, required: true, autocomplete: 'off', spellcheck: 'false' });
    const isSecret = () => sectionInput.value === 'admins' || keyInput.value === 'secret' || sectionInput.value === 'jwt_keys';
    const isHidden = value === HIDDEN || section === 'admins' || isNew;
    const valueInput = h('input', { value: value === HIDDEN ? '' : value, required: isHidden, type: isSecret() ? 'password' : 'text', autocomplete: 'new-password', spellcheck: 'false', autofocus: !isNew });
    for (const input of [sectionInput, keyInput]) input.addEventListener('input', () => { valueInput.type = isSecret() ? 'password' : 'text'; });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    const change = async (method, body) => {
      try {
        await ask(method, `${ROOT}/${encodeURIComponent(sectionInput.value)}/${encodeURIComponent(keyInput.value)}`, body);
        close();
        toast(t.changed(sectionInput.value, keyInput.value));
        again();
      } catch (error) {
        refusal.textContent = error.message;
        refusal.hidden = false;
      }
    };
    return h('form', {
      class: 'form', onsubmit: event => {
        event.preventDefault();
        change('PUT', valueInput.value);
      },
    }, h('p', { class: 'note' }, t.keys[`${section}/${key}`] || t.sections[section] || ''), isNew && field(t.section, sectionInput), isNew && field(t.key, keyInput), field(t.value, valueInput), refusal,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, texts.save), !isNew && button(section === 'admins' ? t.removeAdministrator : t.reset, () => confirm(`${section}/${key}`, t.resetWarning, section === 'admins' ? t.removeAdministrator : t.reset, () => change('DELETE'))), button(texts.cancel, close)));
  });
}
