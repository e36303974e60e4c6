// The logins of an application with Google, Apple and other providers, and the addresses that logins in the browser need.
import { get } from '../api.js';
import { button, confirm, emptyState, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { changeApplication, changeForm, linesOf, withChanged, withValue, withValues } from './application-change.js';
import { applicationPath } from './application-paths.js';
import { providerAdder, providerDialog, redirectOf } from './application-provider.js';
import { kindOf } from './application-provider-kinds.js';
import { member } from './json.js';
import { sameElsewhere } from './same.js';

const t = texts.applications, p = t.provider;

export async function make(id, signal) {
  const declaration = await get(applicationPath(id), { signal }), names = Object.keys(declaration.providers || {});
  return [
    h('h2', null, p.title), names.length ? table(declaration, names) : emptyState(p.none), providerAdder(names.length, kind => providerDialog(declaration, null, kind)),
    h('h2', null, p.addresses), addressForm(id, declaration),
    sameElsewhere([{ address: applicationPath(id, 'providers') }, { address: applicationPath(id) }]),
  ];
}

function table(declaration, names) {
  const titles = [p.name, p.kind, p.displayName, t.provider.labels.client_id, p.redirect, t.actions];
  return h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': p.title }, h('table', { class: 'data-table roomy' },
    h('caption', { class: 'hidden' }, p.title), h('thead', null, h('tr', null, titles.map(title => h('th', { scope: 'col' }, title)))),
    h('tbody', null, names.map(name => {
      const provider = declaration.providers[name], kind = kindOf(name, provider);
      return h('tr', null, h('th', { scope: 'row' }, name), h('td', null, p.names[kind] || kind), h('td', null, h('bdi', null, provider.display_name || '')),
        h('td', { class: 'breaks' }, h('bdi', null, provider.client_id || '')), h('td', null, kind !== 'custom' && h('div', { class: 'mono breaks redirect-cell' }, redirectOf(declaration, name))),
        h('td', null, h('div', { class: 'row-buttons' },
          button(p.edit, () => providerDialog(declaration, name), { 'aria-label': p.change(name) }),
          button(t.remove, () => remove(declaration.id, name), { class: 'danger-quiet', 'aria-label': p.removeName(name) }))));
    }))));
}

function remove(id, name) {
  confirm(p.removeTitle(name), p.removeWarning, t.remove, async () => {
    await changeApplication(id, node => {
      const changed = withChanged(node, 'providers', providers => withValue(providers, name, undefined));
      return member(changed, 'providers').members.length ? changed : withValue(changed, 'providers', undefined);
    });
    toast(t.saved);
    dispatchEvent(new HashChangeEvent('hashchange'));
  });
}

function addressForm(id, declaration) {
  const url = h('input', { type: 'url', autocomplete: 'off', pattern: 'https?://.*[^\\/]', title: t.serverURLNote, value: declaration.url || '' });
  const redirects = h('textarea', { rows: 3, spellcheck: 'false', autocomplete: 'off', value: (declaration.redirects || []).join('\n') });
  return changeForm(id, [field(t.serverURL, url, t.serverURLNote), field(t.redirects, redirects, p.redirectsNote)], node => {
    const list = linesOf(redirects.value);
    return withValues(node, { url: url.value.trim() || undefined, redirects: list.length ? list : undefined });
  });
}
