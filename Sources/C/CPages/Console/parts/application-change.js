// Changes a part of an application's declaration: all else stays as the server sent it, each number with its digits.
import { send } from '../api.js';
import { button, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { applicationPath } from './application-paths.js';
import { askText } from './bounded-read.js';
import { compact, member, parse, plain, valueOf } from './json.js';
import { withMember } from './query-nodes.js';

const t = texts.applications;

/** Reads a declaration: `{ node, value }`. */
export async function readApplication(id, signal) {
  const node = parse(await askText('GET', applicationPath(id), undefined, { signal, tooLarge: t.tooLarge }));
  return { node, value: valueOf(node) };
}

/** Writes a declaration. Secrets that it does not have stay. */
export const writeApplication = (id, node) =>
  send('PUT', applicationPath(id), new Blob([compact(node)], { type: 'application/json' }), { headers: { 'Content-Type': 'application/json' } });

/**
 * Reads the declaration again, since it may have changed after a form was opened, and writes what `change(node)` returns.
 */
export async function changeApplication(id, change) {
  const { node } = await readApplication(id);
  await writeApplication(id, change(node));
}

/** The object with a member of a value or node, or without it for `undefined`. The order of the others stays. */
export function withValue(node, key, value) {
  const object = node?.kind === 'object' ? node : plain({});
  if (value === undefined) return { kind: 'object', members: object.members.filter(item => item.key !== key) };
  return withMember(object, key, value);
}

/** The object with the members of `values`; those that are `undefined` are removed. */
export const withValues = (node, values) => Object.entries(values).reduce((object, [key, value]) => withValue(object, key, value), node?.kind === 'object' ? node : plain({}));

/** The object whose member, which is an object, is what `change` returns. */
export const withChanged = (node, key, change) => withValue(node, key, change(member(node, key)));

/** The lines of a text that are not empty. */
export const linesOf = text => text.split('\n').map(line => line.trim()).filter(Boolean);

/**
 * A form that changes the declaration.
 *
 * @param change `change(node)` returns the changed declaration; it throws an error with words if a field is wrong.
 * @param options `saved()` is called afterwards, in place of drawing the page again; the others are those of `savingForm`.
 */
export function changeForm(id, content, change, { saved, ...options } = {}) {
  return savingForm(content, async () => {
    await changeApplication(id, change);
    toast(t.saved);
    if (saved) saved();
    else dispatchEvent(new HashChangeEvent('hashchange'));
  }, options);
}

/** Opens the closed part of a form in which a field is wrong: the browser cannot show it there. */
export function opensParts(form) {
  form.addEventListener('invalid', event => {
    const part = event.target.closest('details');
    if (part) part.open = true;
  }, true);
  return form;
}

/** A form that calls `save()`, and shows its error. `submit` and `cancel` are for a dialog; `more` are further buttons. */
export function savingForm(content, save, { submit = texts.save, cancel, more } = {}) {
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), saveButton = h('button', { class: 'primary' }, submit);
  return opensParts(h('form', {
    class: 'form', autocomplete: 'off', onsubmit: async event => {
      event.preventDefault();
      saveButton.disabled = true;
      refusal.hidden = true;
      try {
        await save();
      } catch (error) {
        refusal.textContent = error.message;
        refusal.hidden = false;
      } finally {
        saveButton.disabled = false;
      }
    },
  }, content, refusal, h('div', { class: 'buttons' }, saveButton, cancel && button(texts.cancel, cancel), more)));
}
