// The steps of a new application: the app, its databases, its accounts and versions.
import { button, field, h } from '../view.js';
import { texts } from '../texts.js';

const ID_PATTERN = '[A-Za-z][A-Za-z0-9._\\-]*';
const NAME_PATTERN = '[a-z][a-z0-9_$\\(\\)+\\/\\-]*';
const SHARED_MAX = 20;
const REGISTRATIONS_MAX = 1_000_000;
const PASSWORD_LENGTH_MAX = 64;
const t = texts.applications;

const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });

// ---- The app

export function appStep() {
  const name = text({ autocapitalize: 'words' }), id = text({ required: true, pattern: ID_PATTERN, title: t.idNote });
  const platforms = {
    ios: platform(t.platforms.ios, field(t.iosBundle, text({ placeholder: 'com.example.trips', pattern: ID_PATTERN, title: t.idNote }))),
    android: platform(t.platforms.android, field(t.androidBundle, text({ placeholder: 'com.example.trips', pattern: ID_PATTERN, title: t.idNote }))),
    web: platform(t.platforms.web, field(t.webAddress, text({ type: 'url', placeholder: 'https://app.example.org/login' }))),
  };
  platforms.ios.box.checked = true;
  platforms.ios.update();
  const suggest = () => {
    if (id.dataset.isTyped) return;
    const bundle = ['ios', 'android'].map(key => platforms[key].value()).find(Boolean);
    id.value = bundle || name.value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '');
  };
  id.addEventListener('input', () => { id.dataset.isTyped = id.value ? 'yes' : ''; });
  const element = h('div', { class: 'form' }, field(t.appName, name, t.appNameNote),
    h('fieldset', { class: 'choice' }, h('legend', null, t.platformsTitle), Object.values(platforms).map(item => item.element), h('p', { class: 'note' }, t.bundleNote)),
    field(t.id, id, t.idNote));
  element.addEventListener('input', suggest);
  return {
    element,
    state: () => ({
      id: id.value, platforms: Object.keys(platforms).filter(key => platforms[key].box.checked),
      redirects: [...new Set([...['ios', 'android'].map(key => platforms[key].value()).filter(value => value.includes('.')).map(value => `${value}:/login`),
        platforms.web.value()].filter(Boolean))],
    }),
    read: () => ({ id: id.value }),
  };
}

/** A platform that can be chosen, with a field that is shown then. */
function platform(title, content) {
  const box = h('input', { type: 'checkbox' }), input = content.querySelector('input');
  const update = () => {
    content.hidden = !box.checked;
    input.disabled = !box.checked;
  };
  box.addEventListener('change', update);
  update();
  return { box, update, element: h('div', { class: 'form' }, h('label', { class: 'check' }, box, title), content), value: () => box.checked ? input.value.trim() : '' };
}

// ---- The databases

export function databasesStep() {
  const prefix = text({ required: true, pattern: NAME_PATTERN, title: t.nameNote });
  const isConsolidated = h('input', { type: 'checkbox', checked: true }), consolidated = text({ required: true, pattern: NAME_PATTERN, title: t.nameNote });
  const consolidatedField = field(t.consolidatedName, consolidated, t.consolidatedNote);
  const update = () => {
    consolidatedField.hidden = !isConsolidated.checked;
    consolidated.disabled = !isConsolidated.checked;
  };
  isConsolidated.addEventListener('change', update);
  const shared = sharedList();
  const element = h('div', { class: 'form' }, field(t.prefix, prefix, t.prefixNote),
    h('label', { class: 'check' }, isConsolidated, t.consolidate), consolidatedField,
    h('fieldset', { class: 'choice' }, h('legend', null, t.shared), shared.element));
  let suggested = '';
  return {
    element,
    begin: ({ id }) => {
      const start = (id.split('.').pop() || 'app').toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+/, '') || 'app';
      if (!prefix.value || prefix.value === `${suggested}_user_`) prefix.value = `${start}_user_`;
      if (!consolidated.value || consolidated.value === `${suggested}_all`) consolidated.value = `${start}_all`;
      suggested = start;
    },
    read: () => ({
      database: { prefix: prefix.value.trim() }, ...(isConsolidated.checked && { consolidated: { name: consolidated.value.trim() } }), ...shared.read(),
    }),
  };
}

function sharedList() {
  const rows = h('div', { class: 'form' });
  const add = button(t.addShared, () => {
    rows.append(sharedRow());
    rows.lastElementChild.querySelector('input').focus();
    update();
  });
  const update = () => { add.disabled = rows.children.length >= SHARED_MAX; };
  const sharedRow = () => {
    const row = h('div', { class: 'shared-row' },
      field(t.databaseName, text({ required: true, pattern: NAME_PATTERN, title: t.nameNote })),
      field(t.rights, h('select', null, h('option', { value: '_reader' }, t.mayRead), h('option', { value: '_reader _writer' }, t.mayWrite))),
      h('label', { class: 'check' }, h('input', { type: 'checkbox' }), t.public),
      h('div', { class: 'buttons' }, button(t.remove, () => { row.remove(); update(); add.focus(); })));
    return row;
  };
  const read = () => {
    const items = [...rows.children].map(row => {
      const isPublic = row.querySelector('[type=checkbox]').checked;
      return [row.querySelector('input').value.trim(), { rights: row.querySelector('select').value.split(' '), ...(isPublic && { public: true }) }];
    });
    return items.length ? { shared: Object.fromEntries(items) } : {};
  };
  return { element: h('div', { class: 'form' }, h('p', { class: 'note' }, t.sharedNote), rows, h('div', { class: 'buttons' }, add)), read };
}

// ---- The accounts and versions

export function accountsStep() {
  const number = (value, max) => h('input', { type: 'number', value, min: 1, max, step: 1, required: true });
  const registration = h('select', null, Object.entries(t.registrations).map(([value, title]) => h('option', { value }, title)));
  const perMinute = number(10, REGISTRATIONS_MAX), length = number(8, PASSWORD_LENGTH_MAX);
  const first = text({}), warnedBefore = text({}), required = h('input', { type: 'checkbox' });
  const url = text({ type: 'url', pattern: 'https?://.*[^\\/]', title: t.serverURLNote }), redirects = h('textarea', { rows: 3, spellcheck: 'false' });
  redirects.addEventListener('input', () => { redirects.dataset.isTyped = 'yes'; });
  const element = h('div', { class: 'form' },
    h('fieldset', { class: 'choice' }, h('legend', null, t.accounts), h('div', { class: 'form-grid' },
      field(t.registration, registration), field(t.perMinute, perMinute), field(t.passwordLength, length))),
    h('fieldset', { class: 'choice' }, h('legend', null, t.tabs.versions), h('div', { class: 'form-grid' }, field(t.first, first, t.firstNote), field(t.warnedBefore, warnedBefore)),
      h('label', { class: 'check' }, required, t.required)),
    h('fieldset', { class: 'choice' }, h('legend', null, t.browserLogins), field(t.serverURL, url, t.serverURLNote), field(t.redirects, redirects, t.redirectsNote)));
  const versions = () => ({
    ...(first.value.trim() && { first: first.value.trim() }), ...(warnedBefore.value.trim() && { warned_before: warnedBefore.value.trim() }), ...(required.checked && { required: true }),
  });
  return {
    element,
    begin: state => { if (!redirects.dataset.isTyped) redirects.value = state.redirects.join('\n'); },
    read: () => {
      const rules = versions(), list = redirects.value.split('\n').map(line => line.trim()).filter(Boolean);
      return {
        registration: registration.value, registrations_per_minute: Number(perMinute.value), passwords: { length_min: Number(length.value) },
        ...(Object.keys(rules).length && { versions: rules }), ...(url.value.trim() && { url: url.value.trim() }), ...(list.length && { redirects: list }),
      };
    },
  };
}
