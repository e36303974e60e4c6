// The changes of accounts: adding, quota, new keys, removal.
import { ask } from '../api.js';
import { button, confirm, field, toast } from '../view.js';
import { texts } from '../texts.js';
import { formDialog, nameInput } from './objects-form.js';
import { showKeys } from './objects-keys.js';
import { accountRoute } from './objects-paths.js';
import { quotaFields } from './objects-quota.js';

const t = texts.objects;

/** Asks for the name and the quota of a new account, and shows its keys. */
export function addAccount(changed, signal) {
  const name = nameInput({ maxlength: 64 }), quota = quotaFields(null);
  formDialog(t.addAccount, [field(t.name, name, t.accountNameNote), quota.element], t.addAccount, async close => {
    const bytes = quota.value(), keys = await ask('PUT', accountRoute(name.value.trim()), bytes === null ? {} : { quota: bytes });
    close();
    showKeys(keys, signal);
    changed();
  }, signal);
}

/** The buttons of an account. `removed` is called after its removal, and `changed` after other changes. */
export function accountButtons(account, { changed, removed, signal }) {
  return [
    button(t.changeQuota, () => changeQuota(account, changed, signal), { 'aria-label': t.changeQuotaOf(account.name) }),
    button(t.newKeys, () => confirm(t.newKeysTitle(account.name), t.newKeysWarning, t.newKeys, async () => {
      const keys = await ask('POST', accountRoute(account.name, 'key'), {});
      showKeys(keys, signal);
      changed();
    }), { 'aria-label': t.newKeysFor(account.name) }),
    button(t.remove, () => confirm(t.removeAccountTitle(account.name), t.removeAccountWarning, t.remove, async () => {
      await ask('DELETE', accountRoute(account.name));
      toast(t.accountRemoved(account.name));
      removed();
    }, account.name), { class: 'danger-quiet', 'aria-label': t.removeAccount(account.name) }),
  ];
}

function changeQuota(account, changed, signal) {
  const quota = quotaFields(account.quota);
  formDialog(t.changeQuotaOf(account.name), [quota.element], texts.save, async () => {
    await ask('POST', accountRoute(account.name), { quota: quota.value() });
    toast(t.quotaSaved);
    changed();
  }, signal);
}
