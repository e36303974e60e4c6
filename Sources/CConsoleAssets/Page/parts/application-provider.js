// The form of a login provider of an application. Secrets are only written.
import { dialog, field, h } from '../view.js';
import { texts } from '../texts.js';
import { changeForm, linesOf, withChanged, withValues } from './application-change.js';
import { applicationPath } from './application-paths.js';
import { member } from './json.js';
import { KINDS, kindOf } from './application-provider-kinds.js';
import { block } from './same.js';

const NAME_PATTERN = '[a-z0-9\\-]+';
const SKEW_SECONDS_MAX = 600;
const t = texts.applications.provider;

const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
const area = (value, rows = 3) => h('textarea', { rows, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'none', value });

/** The redirect URI that is registered at a provider. */
export const redirectOf = (declaration, name) => `${declaration.url || 'https://…'}${applicationPath(declaration.id, 'login', name, 'callback')}`;

/**
 * Opens the form. `name` is that of a stored provider, `null` for a new one of the kind `kind`.
 */
export function providerDialog(declaration, name, kind) {
  const stored = name === null ? null : declaration.providers[name], kindName = stored ? kindOf(name, stored) : kind;
  dialog(stored ? t.change(name) : t.add(t.names[kindName]), close => {
    const own = text({ required: true, value: name ?? freeName(declaration, kindName), pattern: NAME_PATTERN, title: t.nameNote });
    const fields = (KINDS[kindName]?.fields || []).map(item => inputOf(item, stored, kindName)), more = moreFields(stored, kindName);
    const address = h('div'), showAddress = () => address.replaceChildren(block(t.redirect, redirectOf(declaration, own.value)));
    own.addEventListener('input', showAddress);
    showAddress();
    const lost = h('p', { class: 'warning', role: 'status', hidden: true }, t.secretLost);
    const content = h('div', { class: 'form', oninput: () => { lost.hidden = !loses(fields, stored); } },
      howTo(kindName), !stored && field(t.name, own, t.nameNote), kindName !== 'custom' && address, fields.map(item => item.element), lost, more.element);
    return changeForm(declaration.id, content, node => withChanged(node, 'providers', providers => {
      if (!stored && member(providers, own.value)) throw new Error(t.nameTaken(own.value));
      return withChanged(providers, own.value, before => {
        const kindMember = !stored && own.value !== kindName ? { kind: kindName } : {};
        return withValues(before, { ...kindMember, ...Object.assign({}, ...fields.map(item => item.read())), ...more.read() });
      });
    }), { saved: () => { close(); dispatchEvent(new HashChangeEvent('hashchange')); }, cancel: close });
  }, { class: 'middle' });
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
function inputOf(item, stored, kind) {
  const { name } = item, value = item.read(stored), label = t.labels[kind]?.[name] || t.labels[name];
  const note = [t.notes[kind]?.[name] || t.notes[name], item.isSecret && stored && t.keepsSecret].filter(Boolean).join(' ');
  const input = item.isText || item.isList ? area(value, item.isText ? 4 : 2)
    : item.isSecret ? h('input', { type: 'password', autocomplete: 'new-password' })
      : text({ value, required: item.isRequired, type: item.isURL ? 'url' : 'text', pattern: item.isURL ? 'https?://.+' : undefined });
  const typed = () => item.isList ? linesOf(input.value) : input.value.trim();
  return {
    item, element: field(label, input, note), hasText: () => Boolean(input.value.trim()),
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
