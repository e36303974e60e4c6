// One user of an application: the account, its devices, and what an administrator can do.
import { ask, get } from '../api.js';
import { actionButton, button, confirm, dialog, emptyState, field, h, load, moment, toast } from '../view.js';
import { texts } from '../texts.js';
import { applicationPath, newPassword } from './application-paths.js';
import { showPassword } from './application-users.js';
import { sameElsewhere } from './same.js';

const t = texts.applications;

export async function show(host, id, name, signal) {
  const place = h('div', { class: 'query' });
  const context = { id, name, base: (...parts) => applicationPath(id, 'users', name, ...parts) };
  context.reload = () => load(place, () => get(context.base(), { signal }), account => content(context, account), signal);
  host.replaceChildren(
    h('p', { class: 'crumbs' }, h('a', { href: '#/applications' }, t.title), ' / ', h('a', { href: `#/applications/${encodeURIComponent(id)}` }, id)),
    h('h1', null, h('bdi', null, name)), place);
  await context.reload();
}

function content(context, account) {
  return [
    facts(account), actions(context, account),
    h('h2', null, t.devices), account.devices.length ? devices(context, account.devices) : emptyState(t.noDevices),
    sameElsewhere([{ address: context.base() }, { method: 'PUT', address: context.base('blocked'), body: !account.blocked }]),
  ];
}

function facts(account) {
  const items = [
    [t.state, h('span', { class: `tag ${account.blocked ? 'tag-red' : 'tag-green'}` }, account.blocked ? t.blocked : t.active)],
    [t.database, h('a', { href: `#/database/${encodeURIComponent(account.database)}` }, account.database)],
    [t.since, moment(account.created_at / 1000)],
    [t.roles, account.roles.join(', ') || t.noRoles],
    [t.email, account.profile.email ? `${account.profile.email}${account.profile.email_verified ? ` (${t.verified})` : ''}` : null],
    [t.displayName, account.profile.display_name && h('bdi', null, account.profile.display_name)],
    [t.logins, [account.has_password && t.password, ...Object.keys(account.providers)].filter(Boolean).join(', ')],
    [t.secondFactor, account.has_second_factor ? t.yes : t.no],
  ];
  return h('dl', { class: 'facts' }, items.filter(([, value]) => value).map(([title, value]) => [h('dt', null, title), h('dd', null, value)]));
}

function actions(context, account) {
  const { base, name, reload } = context;
  return h('div', { class: 'buttons' },
    button(t.openDatabase, () => { location.hash = `#/database/${encodeURIComponent(account.database)}`; }),
    account.blocked
      ? actionButton(t.unblock, () => setBlocked(context, false))
      : button(t.block, () => confirm(t.blockTitle(name), t.blockWarning, t.block, () => setBlocked(context, true)), { class: 'danger-quiet' }),
    button(t.changeRoles, () => roles(context, account)),
    button(t.setPassword, () => confirm(t.setPasswordTitle(name), t.setPasswordWarning, t.setPassword, async () => {
      const password = newPassword();
      await ask('PUT', base('password'), { new_password: password });
      showPassword(name, password, reload);
    })),
    account.has_second_factor && button(t.removeSecondFactor, () => confirm(t.removeSecondFactor, t.secondFactorWarning, t.removeSecondFactor, async () => {
      await ask('DELETE', base('second_factor'), {});
      await reload();
    }), { class: 'danger-quiet' }),
    button(t.deleteUser, () => confirm(t.deleteUserTitle(name), t.deleteUserWarning, t.deleteUser, async () => {
      await ask('DELETE', base(), {});
      toast(t.userDeleted(name));
      location.hash = `#/applications/${encodeURIComponent(context.id)}`;
    }, name), { class: 'danger-quiet' }));
}

async function setBlocked({ base, name, reload }, isBlocked) {
  await ask('PUT', base('blocked'), isBlocked);
  toast(isBlocked ? t.wasBlocked(name) : t.wasUnblocked(name));
  await reload();
}

function roles({ base, id, reload }, account) {
  dialog(t.changeRoles, close => {
    // The application's own prefix is added by the server. Roles of groups belong to the permissions, not to this list.
    const list = h('textarea', { rows: 4, spellcheck: 'false', value: account.roles.filter(role => role !== `${id}/user` && !role.includes(':')).join('\n'), autofocus: true });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    return h('form', {
      class: 'form', onsubmit: async event => {
        event.preventDefault();
        try {
          await ask('PUT', base('roles'), list.value.split('\n').map(role => role.trim()).filter(Boolean));
          close();
          await reload();
        } catch (error) {
          refusal.textContent = error.message;
          refusal.hidden = false;
        }
      },
    }, field(t.roles, list, t.rolesNote), refusal, h('div', { class: 'buttons' }, h('button', { class: 'primary' }, texts.save), button(texts.cancel, close)));
  });
}

// ---- Devices

const DEVICE_STATES = { active: 'tag-green', blocked: 'tag-red', lost: 'tag-amber', wiped: 'tag-amber' };

function devices(context, list) {
  const titles = [t.device, t.system, t.version, t.lastUsed, t.since, t.state, t.actions];
  return h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t.devices },
    h('table', { class: 'data-table roomy' }, h('caption', { class: 'hidden' }, t.devices),
      h('thead', null, h('tr', null, titles.map(title => h('th', { scope: 'col' }, title)))),
      h('tbody', null, list.map(device => h('tr', null,
        h('th', { scope: 'row' }, h('bdi', null, device.name || device.id), h('div', { class: 'note mono' }, device.id)),
        h('td', null, h('bdi', null, [device.platform, device.system, device.model].filter(Boolean).join(' '))),
        h('td', null, h('bdi', null, device.version || '')), h('td', null, moment(device.used)), h('td', null, moment(device.since)),
        h('td', null, h('span', { class: `tag ${DEVICE_STATES[device.state] || ''}` }, t.deviceStates[device.state] || device.state)),
        h('td', null, deviceActions(context, device)))))));
}

function deviceActions(context, device) {
  const name = device.name || device.id;
  const set = state => async () => {
    await ask('PUT', context.base('devices', device.id, 'state'), { state });
    toast(t.deviceChanged(name, t.deviceStates[state]));
    await context.reload();
  };
  const label = text => ({ 'aria-label': `${text}: ${name}` });
  return h('div', { class: 'row-buttons' },
    device.state !== 'active' && actionButton(t.activate, set('active'), label(t.activate)),
    device.state === 'active' && button(t.blockDevice, () => confirm(t.blockDeviceTitle(name), t.blockDeviceWarning, t.blockDevice, set('blocked')), label(t.blockDevice)),
    device.state === 'active' && button(t.lost, () => confirm(t.lostTitle(name), t.lostWarning, t.lost, set('lost')), { class: 'danger-quiet', ...label(t.lost) }),
    button(t.logOutDevice, () => confirm(t.logOutTitle(name), t.logOutWarning, t.logOutDevice, async () => {
      await ask('DELETE', context.base('devices', device.id));
      toast(t.loggedOut(name));
      await context.reload();
    }), label(t.logOutDevice)));
}
