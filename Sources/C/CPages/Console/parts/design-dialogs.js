// The dialogs of a design document: adding, renaming and removing functions.
import { button, confirm, dialog, field, h } from '../view.js';
import { texts } from '../texts.js';
import { at, KINDS, renamed, withAt } from './design-model.js';
import { STARTS } from './design-templates.js';
import { plain } from './json.js';

const t = texts.design;
/** Kinds that CouchDB will remove: they are shown if they exist, but not offered. */
const OFFERED = KINDS.filter(kind => !['show', 'list', 'rewrite'].includes(kind.id));

/** Asks for the kind and the name of a new function. `added(node, path)` gets the changed document. */
export function addDialog(node, added, signal) {
  const element = dialog(t.add, close => {
    const offered = OFFERED.filter(kind => !kind.isSingle || !at(node, [kind.key]));
    const kind = h('select', null, offered.map(item => h('option', { value: item.id }, t.kinds[item.id])));
    const name = nameInput(''), nameField = field(t.name, name), note = h('p', { class: 'note' }), refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    const chosen = () => KINDS.find(item => item.id === kind.value);
    const update = () => {
      nameField.hidden = Boolean(chosen().isSingle);
      name.required = !chosen().isSingle;
      note.textContent = t.kindNotes[kind.value];
    };
    kind.addEventListener('change', update);
    update();
    return h('form', {
      class: 'form', onsubmit: event => {
        event.preventDefault();
        const { key, isSingle } = chosen(), path = isSingle ? [key] : [key, name.value.trim()];
        const words = isSingle ? null : nameMistake(node, key, name.value.trim());
        if (words) return refuse(refusal, words);
        close();
        added(withAt(node, path, plain(STARTS[kind.value])), path);
      },
    }, field(t.kind, kind), note, nameField, refusal, h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.addIt), button(texts.cancel, close)));
  });
  signal.addEventListener('abort', () => element.close());
}

export function renameDialog(node, entry, done, signal) {
  const element = dialog(t.renameTitle(entry.name), close => {
    const name = nameInput(entry.name), refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
    return h('form', {
      class: 'form', onsubmit: event => {
        event.preventDefault();
        const wanted = name.value.trim();
        if (wanted === entry.name) return close();
        const words = nameMistake(node, entry.kind.key, wanted);
        if (words) return refuse(refusal, words);
        close();
        done(renamed(node, entry, wanted), [entry.kind.key, wanted]);
      },
    }, h('p', { class: 'note' }, t.renameNote), field(t.name, name), refusal, h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.rename), button(texts.cancel, close)));
  });
  signal.addEventListener('abort', () => element.close());
}

export function removeDialog(node, entry, done) {
  confirm(t.removeTitle(entry.name || t.kinds[entry.kind.id]), t.removeNote, t.remove, async () => done(withAt(node, entry.path, undefined)));
}

const nameInput = value => h('input', { value, required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', autofocus: true });

function nameMistake(node, key, name) {
  if (!name) return t.noName;
  if (key === 'views' && name === 'lib') return t.reservedName;
  return at(node, [key, name]) ? t.nameTaken(name) : null;
}

function refuse(element, words) {
  element.textContent = words;
  element.hidden = false;
}
