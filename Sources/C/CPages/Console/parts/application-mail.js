// The mail of an application: the server that sends it, the sender, the addresses of links, and the texts.
import { button, confirm, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { changeApplication, changeForm, readApplication, withChanged, withValue, withValues } from './application-change.js';
import { applicationPath } from './application-paths.js';
import { rawValue } from './query-nodes.js';
import { sameElsewhere } from './same.js';

/** The kinds of mail, and whether each has a link. */
const KINDS = { verification: true, reset: true, change: true, login: false, changed: false };
const SERVER = /^(smtps?):\/\/(\[[^\]]*\]|[^:/]*)(?::(\d+))?(\/.*)?$/;
const PORTS = { smtp: '587', smtps: '465' };
const t = texts.applications.mailForm;

const text = attributes => h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });

export async function make(id, signal) {
  const { node: stored, value: declaration } = await readApplication(id, signal), { mail } = declaration;
  const server = serverFields(mail), sender = senderFields(mail), links = linkFields(mail), templates = templateFields(mail);
  const content = [
    !declaration.url && h('p', { class: 'warning' }, t.needsURL, ' ', h('a', { href: `#/applications/${encodeURIComponent(id)}?tab=logins` }, t.toURL)),
    h('fieldset', { class: 'choice' }, h('legend', null, t.server), server.element),
    h('fieldset', { class: 'choice' }, h('legend', null, t.sender), sender.element),
    h('details', { class: 'same' }, h('summary', null, t.links), h('div', { class: 'form same-content' }, links.element)),
    h('details', { class: 'same' }, h('summary', null, t.templates), h('div', { class: 'form same-content' }, templates.element)),
  ];
  const form = changeForm(id, content, node => withChanged(node, 'mail', before =>
    withChanged(withChanged(withValues(before, { ...server.read(), ...sender.read() }), 'links', links.change), 'templates', templates.change)),
  { more: mail && button(t.remove, () => remove(id), { class: 'danger-quiet' }) });
  return [
    h('p', { class: 'note' }, mail ? t.note : t.none), form,
    sameElsewhere([{ method: 'PUT', address: applicationPath(id), body: rawValue(stored) }]),
  ];
}

function remove(id) {
  confirm(t.removeTitle, t.removeWarning, t.remove, async () => {
    await changeApplication(id, node => withValue(node, 'mail', undefined));
    toast(texts.applications.saved);
    dispatchEvent(new HashChangeEvent('hashchange'));
  });
}

// ---- The server and the sender

function serverFields(mail) {
  const [, scheme = 'smtp', host = '', port = '', rest = ''] = SERVER.exec(mail?.server || '') || [];
  const security = h('select', null, Object.entries(t.securities).map(([value, title]) => h('option', { value, selected: value === scheme }, title)));
  const hostField = text({ required: true, value: host, placeholder: 'mail.example.org', pattern: '[^@\\/\\s]+', title: t.hostNote });
  const portField = h('input', { type: 'number', min: 1, max: 65535, step: 1, value: port || (mail ? '' : PORTS[scheme]) });
  const user = text({ value: mail?.user || '' }), password = h('input', { type: 'password', autocomplete: 'new-password' });
  const authorities = text({ value: mail?.ca_file || '', placeholder: '/etc/ssl/certs/mail.pem' });
  const warning = h('p', { class: 'warning', role: 'status', hidden: true }, t.passwordLost);
  const address = () => `${security.value}://${hostField.value.trim()}${portField.value && `:${portField.value}`}${rest}`;
  const update = () => {
    const isOther = mail?.user && user.value.trim() && !password.value && (address() !== mail.server || user.value.trim() !== mail.user);
    warning.hidden = !isOther;
  };
  // The usual port follows the choice.
  security.addEventListener('change', () => { if (Object.values(PORTS).includes(portField.value)) portField.value = PORTS[security.value]; update(); });
  const element = h('div', { class: 'form', oninput: update }, h('div', { class: 'form-grid' }, field(t.security, security), field(t.host, hostField, t.hostNote), field(t.port, portField)),
    h('div', { class: 'form-grid' }, field(t.user, user, t.userNote), field(t.password, password, mail?.user ? t.passwordNote : undefined)), warning,
    field(t.authorities, authorities, t.authoritiesNote));
  return {
    element,
    read: () => ({
      server: address(), user: user.value.trim() || undefined, ...(password.value && { password: password.value }), ca_file: authorities.value.trim() || undefined,
    }),
  };
}

function senderFields(mail) {
  const from = h('input', { type: 'email', required: true, autocomplete: 'off', value: mail?.from || '', placeholder: 'no-reply@example.org' });
  const name = text({ autocapitalize: 'words', value: mail?.from_name || '' });
  return {
    element: h('div', { class: 'form-grid' }, field(t.from, from), field(t.fromName, name, t.fromNameNote)),
    read: () => ({ from: from.value.trim(), from_name: name.value.trim() || undefined }),
  };
}

// ---- Links and texts, by kind

/** An object without members is left out. */
const orNothing = node => node.members.length ? node : undefined;

function linkFields(mail) {
  const inputs = Object.keys(KINDS).filter(kind => KINDS[kind]).map(kind => [kind, text({ value: mail?.links?.[kind] || '', placeholder: `com.example.trips:/${kind}?token={{token}}` })]);
  return {
    element: h('div', { class: 'form' }, h('p', { class: 'note' }, t.linksNote), inputs.map(([kind, input]) => field(t.kinds[kind], input))),
    change: node => orNothing(withValues(node, Object.fromEntries(inputs.map(([kind, input]) => [kind, input.value.trim() || undefined])))),
  };
}

function templateFields(mail) {
  const parts = Object.keys(KINDS).map(kind => {
    const known = mail?.templates?.[kind], area = (value, rows) => h('textarea', { rows, spellcheck: 'false', autocomplete: 'off', value: value || '' });
    return { kind, subject: text({ value: known?.subject || '' }), text: area(known?.text, 4), html: area(known?.html, 4) };
  });
  const change = node => orNothing(parts.reduce((object, part) => {
    const values = { subject: part.subject.value, text: part.text.value, html: part.html.value || undefined };
    if (!values.subject.trim() && !values.text.trim() && !values.html) return withValue(object, part.kind, undefined);
    if (!values.subject.trim() || !values.text.trim()) throw new Error(t.needsBoth(t.kinds[part.kind]));
    return withChanged(object, part.kind, before => withValues(before, values));
  }, withValues(node, {})));
  return {
    element: h('div', { class: 'form' }, h('p', { class: 'note' }, t.templatesNote), parts.map(part => h('fieldset', { class: 'choice' }, h('legend', null, t.kinds[part.kind]),
      field(t.subject, part.subject), h('div', { class: 'form-grid' }, field(t.text, part.text), field(t.html, part.html))))),
    change,
  };
}
