// The quota of an account: how much of it is used, and the fields that change it.
import { bytes, field, h } from '../view.js';
import { texts } from '../texts.js';

const UNITS = { MB: 1e6, GB: 1e9 };
const t = texts.objects;

/** The used part of the quota, as a bar with words; only words without a quota. */
export function quotaBar(account) {
  if (account.quota === null) return t.noQuota;
  // A quota may be less than what was stored before.
  const value = account.quota > 0 ? Math.min(account.bytes, account.quota) : 1;
  return h('div', { class: 'quota' }, h('progress', { max: account.quota || 1, value, 'aria-label': t.quotaOf(account.name) }),
    h('span', { class: 'nowrap' }, t.usedOf(bytes(account.bytes), bytes(account.quota))));
}

/** The fields of a quota in bytes: `{ element, value() }`. The value is `null` for no limit. */
export function quotaFields(quota) {
  const unit = quota === null || quota % UNITS.GB === 0 ? 'GB' : 'MB';
  const number = h('input', { type: 'number', min: 0, step: 'any', value: quota === null ? '' : quota / UNITS[unit], autocomplete: 'off' });
  const units = h('select', null, Object.keys(UNITS).map(name => h('option', { value: name, selected: name === unit }, name)));
  return {
    element: h('div', { class: 'quota-fields' }, field(t.quota, number, t.quotaNote), field(t.quotaUnit, units)),
    value() {
      if (number.value === '') return null;
      const result = Math.round(Number(number.value) * UNITS[units.value]);
      if (!Number.isSafeInteger(result)) throw new Error(t.quotaTooLarge);
      return result;
    },
  };
}
