// The accounts of an application: who registers, and the rules for passwords.
import { field, h } from '../view.js';
import { texts } from '../texts.js';
import { changeForm, linesOf, withChanged, withValues } from './application-change.js';
import { member, valueOf } from './json.js';

/** The bounds of the server. */
const REGISTRATIONS_MAX = 1_000_000, PASSWORD_LENGTH_MAX = 64;
const t = texts.applications;

/** The form for `value`, the stored declaration. */
export function accountsForm(id, value) {
  const number = (start, max) => h('input', { type: 'number', value: start, min: 1, max, step: 1, required: true });
  const registration = h('select', null, Object.entries(t.registrations).map(([key, title]) => h('option', { value: key, selected: key === value.registration }, title)));
  const perMinute = number(value.registrations_per_minute, REGISTRATIONS_MAX), length = number(value.passwords.length_min, PASSWORD_LENGTH_MAX);
  const common = h('input', { type: 'checkbox', checked: !value.passwords.allow_common });
  const refused = h('textarea', { rows: 3, spellcheck: 'false', autocomplete: 'off', value: (value.passwords.refused || []).join('\n') });
  const bluelist = h('input', { type: 'checkbox', checked: Boolean(value.bluelist) });
  return changeForm(id, [
    h('div', { class: 'form-grid' }, field(t.registration, registration), field(t.perMinute, perMinute, t.perMinuteNote), field(t.passwordLength, length)),
    h('label', { class: 'check' }, common, t.refuseCommon), field(t.refusedPasswords, refused, t.refusedNote),
    h('div', { class: 'field' }, h('label', { class: 'check' }, bluelist, t.bluelist), h('p', { class: 'note' }, t.bluelistNote)),
  ], node => {
    const list = linesOf(refused.value), before = valueOf(member(member(node, 'passwords'), 'refused')) || [];
    // A list that was not changed keeps what lines cannot show, such as spaces at an end.
    const isSame = before.map(item => item.trim()).filter(Boolean).join('\n') === list.join('\n');
    const rules = { length_min: Number(length.value), allow_common: !common.checked, ...(isSame ? {} : { refused: list.length ? list : undefined }) };
    const changed = withChanged(node, 'passwords', passwords => withValues(passwords, rules));
    return withValues(changed, {
      registration: registration.value, registrations_per_minute: Number(perMinute.value), bluelist: bluelist.checked ? member(node, 'bluelist') || {} : undefined,
    });
  });
}
