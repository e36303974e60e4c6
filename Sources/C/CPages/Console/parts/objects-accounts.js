// The list of accounts.
import { get, withQuery } from '../api.js';
import { button, bytes, count, h, load, moment } from '../view.js';
import { texts } from '../texts.js';
import { accountButtons, addAccount } from './objects-account-actions.js';
import { ACCOUNTS, PAGE, accountRoute, pageAddress } from './objects-paths.js';
import { quotaBar } from './objects-quota.js';
import { curlPart } from './objects-same.js';
import { pagedTable } from './table.js';

const t = texts.objects;

/** Shows all accounts in `host`. */
export async function showAccounts(host, signal) {
  const list = h('div'), again = () => load(list, () => table(again, signal), element => element, signal);
  host.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, t.title), h('div', { class: 'buttons' }, button(t.addAccount, () => addAccount(again, signal), { class: 'primary' }))),
    h('p', { class: 'note' }, t.note), list, curlPart(requests()));
  await again();
}

const requests = () => [
  { address: ACCOUNTS }, { method: 'PUT', address: accountRoute('NAME'), body: { quota: 1e9 } }, { method: 'POST', address: accountRoute('NAME'), body: { quota: null } },
  { method: 'POST', address: accountRoute('NAME', 'key'), body: {} }, { method: 'DELETE', address: accountRoute('NAME') },
];

function table(again, signal) {
  const read = async cursor => {
    const { accounts } = await get(withQuery(ACCOUNTS, { after: cursor ?? undefined, limit: PAGE + 1 }), { signal });
    const rows = accounts.slice(0, PAGE);
    return { rows, next: accounts.length > PAGE ? rows.at(-1).name : null };
  };
  return pagedTable([
    { title: t.account, cell: account => h('a', { href: pageAddress(account.name) }, account.name) },
    { title: t.containers, isNumber: true, cell: account => count(account.containers) },
    { title: t.objects, isNumber: true, cell: account => count(account.objects) },
    { title: t.used, isNumber: true, cell: account => bytes(account.bytes) },
    { title: t.quota, cell: quotaBar },
    { title: t.created, cell: account => h('span', { class: 'nowrap' }, moment(account.created)) },
    { title: t.actions, cell: account => h('div', { class: 'row-buttons' }, accountButtons(account, { changed: again, removed: again, signal })) },
  ], read, { caption: t.accounts, empty: t.noAccounts });
}
