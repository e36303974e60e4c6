// The form of a login provider of an application. Secrets are only written.
import { button, dialog, field, h } from '../view.js';
import { texts } from '../texts.js';
import { changeForm, linesOf, savingForm, withChanged, withValues } from './application-change.js';
import { applicationPath } from './application-paths.js';
import { member, plain, valueOf } from './json.js';
import { ADDED_KINDS, KINDS, kindOf } from './application-provider-kinds.js';
import { block } from './same.js';

const NAME_PATTERN = '[a-z0-9\\-]+';
/** What the server accepts. */
const PROVIDERS_MAX = 32, SKEW_SECONDS_MAX = 600;
const t = texts.applications.provider;

const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
const area = (value, rows = 3) => h('textarea', { rows, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'none', value });

/** The redirect URI that is registered at a provider. */
export const redirectOf = (declaration, name) => `${declaration.url || 'https://…'}${applicationPath(declaration.id, 'login', name, 'callback')}`;

/** The buttons that add a provider of each kind. */
export function providerAdder(number, add) {
  const isFull = number >= PROVIDERS_MAX;
  return h('div', { class: 'buttons', role: 'group', 'aria-label': t.addTitle }, h('span', { class: 'note' }, isFull ? t.full(PROVIDERS_MAX) : t.addTitle),
    ADDED_KINDS.map(kind => button(t.names[kind], () => add(kind), { disabled: isFull, 'data-kind': kind, 'aria-label': t.add(t.names[kind]) })));
}

/** Opens the form of a provider of a stored application. `name` is that of a stored provider, `null` for a new one of the kind `kind`. */
export function providerDialog(declaration, name, kind) {
  return openForm(declaration, name, kind, 'stored', (form, close) => changeForm(declaration.id, form.content, node => withChanged(node, 'providers', form.change),
    { saved: () => { close(); dispatchEvent(new HashChangeEvent('hashchange')); }, cancel: close }));
}

/**
 * Opens the same form for an application that is only planned.
 *
 * @param secret Where the secret of this provider is: `typed`, `lost` or `none`.
 * @param saved `saved(name, provider)`; the provider has its secret if one was typed.
 */
export function plannedProviderDialog(declaration, name, kind, secret, saved) {
  return openForm(declaration, name, kind, secret, (form, close) => savingForm(form.content, () => {
    const provider = valueOf(form.change(plain(declaration.providers)))[form.name()];
    const problem = KINDS[kindOf(form.name(), provider)]?.problem?.(provider, secret === 'typed');
    if (problem) throw new Error(t.problems[problem]);
    saved(form.name(), provider);
    close();
  }, { submit: name === null ? t.addNow : t.keep, cancel: close }));
}

function openForm(declaration, name, kind, secret, make) {
  const stored = name === null ? null : declaration.providers[name], kindName = stored ? kindOf(name, stored) : kind;
  return dialog(stored ? t.change(name) : t.add(t.names[kindName]), close => make(providerForm(declaration, name, stored, kindName, secret), close), { class: 'middle' });
}

/** The fields, the name, and `change(providers)`, which returns the node with this provider. */
function providerForm(declaration, name, stored, kindName, secret) {
  const own = text({ required: true, value: name ?? freeName(declaration, kindName), pattern: NAME_PATTERN, title: t.nameNote });
  const fields = (KINDS[kindName]?.fields || []).map(item => inputOf(item, stored, kindName, secret)), more = moreFields(stored, kindName);
  const address = h('div', { class: 'form' }), showAddress = () => address.replaceChildren(block(t.redirect, redirectOf(declaration, own.value)),
    ...(declaration.url ? [] : [h('p', { class: 'note' }, t.redirectNeedsURL)]));
  own.addEventListener('input', showAddress);
  showAddress();
  const lost = h('p', { class: 'warning', role: 'status', hidden: secret !== 'lost' }, secret === 'lost' ? t.secretGone : t.secretLost);
  const update = () => {
    if (secret !== 'stored' && secret !== 'typed') return;
    lost.hidden = !loses(fields, stored);
    // A planned provider keeps no secret of another client.
    if (secret === 'typed') for (const { item, input } of fields) if (item.isSecret) input.required = !lost.hidden;
  };
  const content = h('div', { class: 'form', oninput: update },
    secret === 'lost' && lost, howTo(kindName), !stored && field(t.name, own, t.nameNote), kindName !== 'custom' && address, fields.map(item => item.element), secret !== 'lost' && lost, more.element);
  const change = providers => {
    if (!stored && member(providers, own.value)) throw new Error(t.nameTaken(own.value));
    return withChanged(providers, own.value, before => {
      const kindMember = !stored && own.value !== kindName ? { kind: kindName } : {};
      return withValues(before, { ...kindMember, ...Object.assign({}, ...fields.map(item => item.read())), ...more.read() });
    });
  };
  return { content, change, name: () => own.value };
}

function freeName(declaration, kind) {
  const names = Object.keys(declaration.providers || {}), start = kind === 'oidc' ? 'login' : kind;
  let name = start;
  for (let number = 2; names.includes(name); number += 1) name = `${start}-${number}`;
  return name;
}

function howTo(kind) {
  const { page } = KINDS[kind] || {};
  return h('p', { class: 'note' }, t.how[kind], page && [' ', h('a', { href: page, target: '_blank', rel: 'noopener' }, t.page)]);
}

/** A field of a kind: its element, `read()` for the members, and whether it is another value than the stored one. */
function inputOf(item, stored, kind, secret) {
  const { name } = item, value = item.read(stored), label = t.labels[kind]?.[name] || t.labels[name];
  const isLost = item.isSecret && secret === 'lost';
  // A secret that is entered again is not optional.
  const note = [!isLost && (t.notes[kind]?.[name] || t.notes[name]), item.isSecret && stored && t.keepsSecret[secret]].filter(Boolean).join(' ');
  const input = item.isText || item.isList ? area(value, item.isText ? 4 : 2)
    : item.isSecret ? h('input', { type: 'password', autocomplete: 'new-password' })
      : text({ value, required: item.isRequired, type: item.isURL ? 'url' : 'text', pattern: item.isURL ? 'https?://.+' : undefined });
  if (isLost) input.required = input.autofocus = true;
  const typed = () => item.isList ? linesOf(input.value) : input.value.trim();
  return {
    item, input, element: field(label, input, note), hasText: () => Boolean(input.value.trim()),
    isOther: () => JSON.stringify(typed()) !== JSON.stringify(item.isList ? linesOf(value) : value.trim()),
    // Unchanged members stay as they are stored.
    read: () => stored && !item.isSecret && JSON.stringify(typed()) === JSON.stringify(item.isList ? linesOf(value) : value.trim()) ? {} : item.write(typed()),
  };
}

/** Whether the server would not keep the stored secret: it belongs to the client and its issuer. */
function loses(fields, stored) {
  const secret = fields.find(({ item }) => item.isSecret);
  return Boolean(stored && secret && !secret.hasText() && fields.some(({ item, isOther }) => item.isIdentity && isOther()));
}

// ---- What all kinds have

function moreFields(stored, kind) {
  const shown = text({ autocapitalize: 'words', value: stored?.display_name || '', placeholder: t.names[kind] });
  const scopes = text({ value: (stored?.scopes || []).join(' ') });
  const skew = h('input', { type: 'number', min: 0, max: SKEW_SECONDS_MAX, step: 1, value: stored?.clock_skew_seconds ?? '' });
  const domains = domainFields(stored), roles = roleFields(stored);
  const isSame = (input, value) => input.value.trim() === String(value ?? '');
  return {
    element: h('details', { class: 'same' }, h('summary', null, t.more), h('div', { class: 'form same-content' },
      field(t.displayName, shown, t.displayNameNote), domains.element, roles.element,
      kind !== 'custom' && h('div', { class: 'form-grid' }, field(t.scopes, scopes, t.scopesNote), field(t.skew, skew, t.skewNote)))),
    read: () => ({
      ...(isSame(shown, stored?.display_name) ? {} : { display_name: shown.value.trim() || undefined }),
      ...(isSame(scopes, (stored?.scopes || []).join(' ')) ? {} : { scopes: scopes.value.trim() ? scopes.value.trim().split(/[\s,]+/) : undefined }),
      ...(isSame(skew, stored?.clock_skew_seconds) ? {} : { clock_skew_seconds: skew.value === '' ? undefined : Number(skew.value) }),
      ...domains.read(), ...roles.read(),
    }),
  };
}

/** Which verified addresses link to an account that exists. */
function domainFields(stored) {
  const list = stored?.linked_domains, kind = list === undefined ? 'all' : list.length ? 'some' : 'none';
  const choice = h('select', null, Object.entries(t.linking).map(([value, title]) => h('option', { value, selected: value === kind }, title)));
  const domains = area((list || []).join('\n')), domainsField = field(t.domains, domains);
  const update = () => { domainsField.hidden = choice.value !== 'some'; };
  choice.addEventListener('change', update);
  update();
  const read = () => {
    if (choice.value === 'all') return { linked_domains: undefined };
    if (choice.value === 'none') return { linked_domains: [] };
    if (!linesOf(domains.value).length) throw new Error(t.noDomains);
    return { linked_domains: linesOf(domains.value) };
  };
  return { element: h('div', { class: 'form' }, field(t.linkingTitle, choice, t.linkingNote), domainsField), read };
}

/** The roles that groups of the provider give: `GROUP = ROLE` in each line. */
function roleFields(stored) {
  const claim = text({ value: stored?.roles_claim || '' });
  const before = Object.entries(stored?.roles || {}).map(([group, role]) => `${group} = ${role}`).join('\n'), roles = area(before);
  const read = () => {
    if (roles.value === before) return { roles_claim: claim.value.trim() || undefined };
    const pairs = linesOf(roles.value).map(line => {
      const at = line.lastIndexOf('='), pair = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      if (at < 0 || !pair[0] || !pair[1]) throw new Error(t.noRole(line));
      return pair;
    });
    return { roles_claim: claim.value.trim() || undefined, roles: pairs.length ? Object.fromEntries(pairs) : undefined };
  };
  return { element: h('div', { class: 'form-grid' }, field(t.claim, claim, t.claimNote), field(t.roles, roles, t.rolesNote)), read };
}
