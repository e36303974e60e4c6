// A dialog with a form: an error of its action is shown in it.
import { button, dialog, h } from '../view.js';
import { texts } from '../texts.js';

/**
 * Opens the dialog.
 *
 * @param fields The elements of the form.
 * @param action Called when the form is sent. The dialog closes after it; if it throws, the error is shown.
 */
export function formDialog(title, fields, label, action, signal) {
  const element = dialog(title, close => {
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), submit = h('button', { class: 'primary' }, label);
    const send = async () => {
      refusal.hidden = submit.disabled = true;
      try {
        await action(close);
        close();
      } catch (error) {
        refusal.textContent = error.message;
        refusal.hidden = false;
      } finally {
        submit.disabled = false;
      }
    };
    return h('form', { class: 'form', onsubmit: event => { event.preventDefault(); send(); } }, ...fields, refusal,
      h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  });
  signal.addEventListener('abort', () => element.close());
}

/** A field for a name that is no word of a language. */
export const nameInput = attributes => h('input', { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', autofocus: true, ...attributes });
