// The questions about a new application. A step is `make(draft)`, which returns the elements below the question, and shows and stores the draft.
import { button, field, h } from '../view.js';
import { texts } from '../texts.js';
import { linesOf } from './application-change.js';
import { bound, providersWithSecrets, removeProvider, secretState, setProvider, storeDraft } from './application-draft.js';
import { plannedProviderDialog, providerAdder } from './application-provider.js';
import { kindOf } from './application-provider-kinds.js';

const ID_PATTERN = '[A-Za-z][A-Za-z0-9._\\-]*';
const NAME_PATTERN = '[a-z][a-z0-9_$\\(\\)+\\/\\-]*';
const SHARED_MAX = 20, REGISTRATIONS_MAX = 1_000_000, PASSWORD_LENGTH_MAX = 64;
const t = texts.applications, p = t.provider;

const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
const more = (title, ...content) => h('details', { class: 'same' }, h('summary', null, title), h('div', { class: 'form same-content' }, content));

export const STEPS = [nameStep, databaseStep, registrationStep, loginStep];
/** The place of the step with the providers. */
export const LOGIN_STEP = STEPS.indexOf(loginStep);

// ---- The name

function nameStep(draft) {
  const name = bound(draft, 'name', text({ autocapitalize: 'words', required: !draft.id })), id = bound(draft, 'id', text({ required: true, pattern: ID_PATTERN, title: t.idNote }));
  const bundle = key => bound(draft, key, text({ placeholder: 'com.example.trips', pattern: ID_PATTERN, title: t.idNote }));
  const ios = bundle('ios'), android = bundle('android'), web = bound(draft, 'web', text({ type: 'url', placeholder: 'https://app.example.org/login' }));
  const suggest = () => {
    if (draft.typed.id) return;
    const ofName = name.value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '');
    id.value = draft.id = ios.value.trim() || android.value.trim() || ofName;
    name.required = !id.value;
    storeDraft();
  };
  for (const input of [name, ios, android]) input.addEventListener('input', suggest);
  id.addEventListener('input', () => { name.required = !id.value; });
  return [field(t.appName, name, t.appNameNote), field(t.id, id, t.idNote),
    more(t.platformsTitle, h('p', { class: 'note' }, t.bundleNote), field(t.iosBundle, ios), field(t.androidBundle, android), field(t.webAddress, web))];
}

// ---- The databases

function databaseStep(draft) {
  suggestNames(draft);
  const prefix = bound(draft, 'prefix', text({ required: true, pattern: NAME_PATTERN, title: t.nameNote }));
  const isConsolidated = bound(draft, 'isConsolidated', h('input', { type: 'checkbox' }));
  const consolidated = bound(draft, 'consolidated', text({ required: true, pattern: NAME_PATTERN, title: t.nameNote }));
  const consolidatedField = field(t.consolidatedName, consolidated, t.consolidatedNote);
  const update = () => {
    consolidatedField.hidden = !isConsolidated.checked;
    consolidated.disabled = !isConsolidated.checked;
  };
  isConsolidated.addEventListener('change', update);
  update();
  return [h('div', { class: 'form' }, h('label', { class: 'check' }, isConsolidated, t.consolidate), consolidatedField),
    sharedList(draft), field(t.prefix, prefix, t.prefixNote)];
}

/** Names that follow from the id, where the user typed none. */
function suggestNames(draft) {
  const start = (draft.id.split('.').pop() || 'app').toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+/, '') || 'app';
  if (!draft.typed.prefix) draft.prefix = `${start}_user_`;
  if (!draft.typed.consolidated) draft.consolidated = `${start}_all`;
  storeDraft();
}

function sharedList(draft) {
  const rows = h('div', { class: 'form' });
  const add = button(t.addShared, () => {
    draft.shared.push({ name: '', rights: '_reader', isPublic: false });
    draw();
    rows.lastElementChild.querySelector('input').focus();
  });
  const set = (item, name, value) => { item[name] = value; storeDraft(); };
  const row = item => {
    const name = text({ required: true, pattern: NAME_PATTERN, title: t.nameNote, value: item.name, oninput: () => set(item, 'name', name.value) });
    const rights = h('select', { onchange: () => set(item, 'rights', rights.value) }, [['_reader', t.mayRead], ['_reader _writer', t.mayWrite]].map(([value, title]) => h('option', { value, selected: value === item.rights }, title)));
    const isPublic = h('input', { type: 'checkbox', checked: item.isPublic, onchange: () => set(item, 'isPublic', isPublic.checked) });
    return h('div', { class: 'shared-row' }, field(t.databaseName, name), field(t.rights, rights), h('label', { class: 'check' }, isPublic, t.public),
      h('div', { class: 'buttons' }, button(t.remove, () => { draft.shared.splice(draft.shared.indexOf(item), 1); draw(); add.focus(); })));
  };
  const draw = () => {
    storeDraft();
    rows.replaceChildren(...draft.shared.map(row));
    add.disabled = draft.shared.length >= SHARED_MAX;
  };
  draw();
  return h('div', { class: 'form' }, rows, h('div', { class: 'buttons' }, add, h('span', { class: 'note' }, t.sharedNote)));
}

// ---- Who registers

function registrationStep(draft) {
  const number = (name, max) => bound(draft, name, h('input', { type: 'number', min: 1, max, step: 1, required: true }));
  const perMinute = field(t.perMinute, number('perMinute', REGISTRATIONS_MAX), t.perMinuteNote);
  const choices = ['administrators', 'open'].map(value => {
    const input = h('input', { type: 'radio', name: 'registration', value, checked: draft.registration === value });
    input.addEventListener('change', () => {
      draft.registration = value;
      storeDraft();
      update();
    });
    return h('label', { class: 'template' }, input, h('span', null, t.registrationChoices[value][0], h('span', { class: 'note' }, t.registrationChoices[value][1])));
  });
  const update = () => { perMinute.hidden = perMinute.querySelector('input').disabled = draft.registration !== 'open'; };
  update();
  return [
    h('div', { class: 'form', role: 'radiogroup', 'aria-label': t.questions[2] }, choices),
    more(t.moreRules, h('div', { class: 'form-grid' }, field(t.passwordLength, number('length', PASSWORD_LENGTH_MAX)), perMinute),
      h('div', { class: 'form-grid' }, field(t.first, bound(draft, 'first', text()), t.firstNote), field(t.warnedBefore, bound(draft, 'warnedBefore', text()))),
      h('label', { class: 'check' }, bound(draft, 'required', h('input', { type: 'checkbox' })), t.required)),
  ];
}

// ---- How people log in

function loginStep(draft) {
  const rows = h('ul', { class: 'login-list' }), adder = h('div');
  const planned = () => ({ id: draft.id.trim(), url: draft.url.trim(), providers: draft.providers });
  const open = (name, kind) => {
    const dialog = plannedProviderDialog(planned(), name, kind, name === null ? 'none' : secretState(name), setProvider);
    // The rows are drawn again, so that the button that opened the dialog may be gone.
    dialog.addEventListener('close', () => {
      draw();
      (name === null ? [...adder.querySelectorAll('button')].find(item => item.dataset.kind === kind) : change(name))?.focus();
    });
  };
  const change = name => [...rows.querySelectorAll('[data-provider]')].find(item => item.dataset.provider === name);
  const remove = name => {
    removeProvider(name);
    draw();
    adder.querySelector('button').focus();
  };
  const browser = browserLogins(draft);
  const draw = () => {
    const names = Object.keys(draft.providers);
    rows.replaceChildren(passwordRow(), ...names.map(name => providerRow(draft, name, () => open(name), () => remove(name))));
    adder.replaceChildren(providerAdder(names.length, kind => open(null, kind)));
    if (names.length) browser.open = true;
  };
  draw();
  return [rows, adder, browser];
}

const passwordRow = () => h('li', null, h('div', null, h('b', null, p.password), h('div', { class: 'note' }, p.passwordAlways)));

function providerRow(draft, name, change, remove) {
  const provider = draft.providers[name], kind = kindOf(name, provider), title = provider.display_name || p.names[kind] || kind;
  const isLost = secretState(name) === 'lost';
  return h('li', null,
    h('div', null, h('b', null, h('bdi', null, title)), h('div', { class: 'note' }, h('bdi', null, name), ' · ', h('bdi', null, provider.client_id)),
      isLost && h('div', { class: 'bad' }, p.secretGone)),
    h('div', { class: 'row-buttons' }, button(isLost ? p.typeSecret : p.edit, change, { 'aria-label': isLost ? p.typeSecretOf(name) : p.change(name), 'data-provider': name }),
      button(t.remove, remove, { class: 'danger-quiet', 'aria-label': p.removeName(name) })));
}

/** The address of the server, and those to which a login may return. */
function browserLogins(draft) {
  const ofPlatforms = platformRedirects(draft);
  return more(t.browserLogins, field(t.serverURL, bound(draft, 'url', text({ type: 'url', pattern: 'https?://.*[^\\/]', title: t.serverURLNote })), t.serverURLNote),
    field(t.redirects, bound(draft, 'redirects', h('textarea', { rows: 3, spellcheck: 'false', autocomplete: 'off' })), p.redirectsNote),
    ofPlatforms.length > 0 && h('p', { class: 'note' }, p.ofPlatforms, ' ', ofPlatforms.map((address, i) => [i > 0 && ', ', h('code', null, address)])));
}

/** The addresses of the platforms to which a login may return. */
function platformRedirects(draft) {
  const ofBundles = [draft.ios, draft.android].map(id => id.trim()).filter(id => id.includes('.')).map(id => `${id}:/login`);
  return [...new Set([...ofBundles, draft.web.trim()])].filter(Boolean);
}

// ---- The declaration

/** The `id` and the body of the request, without what is empty. With `secretWords` these are in place of the secrets. */
export function declarationOf(draft, secretWords) {
  const { first, warnedBefore, required } = draft, list = [...new Set([...platformRedirects(draft), ...linesOf(draft.redirects)])];
  const providers = providersWithSecrets(secretWords);
  const versions = { ...(first.trim() && { first: first.trim() }), ...(warnedBefore.trim() && { warned_before: warnedBefore.trim() }), ...(required && { required: true }) };
  const shared = draft.shared.map(({ name, rights, isPublic }) => [name.trim(), { rights: rights.split(' '), ...(isPublic && { public: true }) }]);
  return {
    id: draft.id.trim(),
    body: {
      database: { prefix: draft.prefix.trim() }, ...(draft.isConsolidated && { consolidated: { name: draft.consolidated.trim() } }),
      ...(shared.length && { shared: Object.fromEntries(shared) }),
      registration: draft.registration, registrations_per_minute: Number(draft.perMinute), passwords: { length_min: Number(draft.length) },
      ...(Object.keys(versions).length && { versions }), ...(draft.url.trim() && { url: draft.url.trim() }), ...(list.length && { redirects: list }),
      ...(Object.keys(providers).length && { providers }),
    },
  };
}
