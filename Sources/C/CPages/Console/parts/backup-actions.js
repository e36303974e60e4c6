// The actions of a backup: removing it, and restoring one of its databases.
import { ask, path, session } from '../api.js';
import { button, confirm, dialog, field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { backupPath } from './backup-state.js';
import { block } from './same.js';

const t = texts.backups;

/** Asks for the name of the backup before it is removed. */
export function removeBackup(id, removed) {
  confirm(t.removeTitle(id), t.removeWarning, t.remove, async () => {
    await ask('DELETE', backupPath(id));
    toast(t.wasRemoved(id));
    removed();
  }, id);
}

/** Asks for the name of the new database, and restores it. */
export function restoreDialog(id, { name: database, failure }, signal) {
  const element = dialog(t.restoreTitle(database), close => {
    const name = h('input', { required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', autofocus: true, value: database });
    const refusal = h('div', { class: 'refusal', role: 'alert', hidden: true }), status = h('p', { class: 'note', role: 'status' }), submit = h('button', { class: 'primary' }, t.restore);
    const refuse = (...words) => { refusal.replaceChildren(...words); refusal.hidden = false; };
    const restore = async () => {
      const target = name.value.trim();
      refusal.hidden = submit.disabled = true;
      status.textContent = t.restoring;
      try {
        await ask('POST', backupPath(id, 'restore'), { database, target });
        // After the dialog was closed the page does not change.
        const isOpen = element.open;
        close();
        toast(t.wasRestored(target));
        if (isOpen && !signal.aborted) location.hash = `#/database/${encodeURIComponent(target)}`;
      } catch (error) {
        if (error.status === 412) refuse(h('p', null, t.exists(target)), h('p', null, h('a', { href: `#/database/${encodeURIComponent(target)}`, onclick: close }, t.openDatabase(target))));
        else refuse(h('p', null, error.message));
        if (!element.open && !signal.aborted) toast(error.status === 412 ? t.exists(target) : error.message, 'error');
        name.select();
      } finally {
        submit.disabled = false;
        status.textContent = '';
      }
    };
    return h('form', { class: 'form', onsubmit: event => { event.preventDefault(); restore(); } },
      h('p', { class: 'note' }, t.restoreNote), failure && h('p', { class: 'warning' }, t.copyIsDamaged(failure)), field(t.newName, name, texts.databases.nameNote), status, refusal, h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  });
  signal.addEventListener('abort', () => element.close());
}

// ---- The same with godwit

const quoted = text => /^[A-Za-z0-9_./:@-]+$/.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`;

/** The lines of `godwit restore` for a backup. */
export function restoreLines(directory, id, database) {
  const set = quoted(`${directory.replace(/\/+$/, '')}/${id}`);
  return godwitPart([
    t.restoreOneNote, `GODWIT_USER=${quoted(session.name)} godwit restore --database ${quoted(database ?? 'NAME')} ${set} ${quoted(location.origin + path(database ?? 'NAME'))}`,
    t.restoreAllNote, `godwit restore ${set} NEW-DIRECTORY`,
  ]);
}

/** The line of `godwit doctor`. */
export const doctorLines = () => godwitPart([t.doctorNote, 'godwit doctor DIRECTORY-OF-DATABASES']);

function godwitPart(items) {
  return h('details', { class: 'same' }, h('summary', null, t.withGodwit),
    h('div', { class: 'same-content' }, items.map((item, i) => i % 2 ? block('godwit', item) : h('p', { class: 'note' }, item))));
}
