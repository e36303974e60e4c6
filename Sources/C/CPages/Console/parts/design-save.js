// Saves a design document, and asks how to continue if someone else saved in between.
import { ask, documentPath } from '../api.js';
import { button, dialog, h, load } from '../view.js';
import { texts } from '../texts.js';
import { DOCUMENT_BYTES_MAX } from './bounded-read.js';
import { readable, sources } from './design-model.js';
import { besideView, lines } from './difference.js';
import { newest } from './document-text.js';
import { compact, format, parse, plain, withMembers } from './json.js';
import { merge, resultOf } from './merge.js';

const t = texts.design;

/** The document of the page's state as a node, as it is sent: with the revision and the attachments of what is saved. */
export function wholeOf(state) {
  const stubs = Object.keys(state.attachments || {}).length ? plain(state.attachments) : undefined;
  return withMembers(state.node, {
    _id: plain(state.id), _rev: state.revision ? plain(state.revision) : undefined, ...(stubs ? { _attachments: stubs } : {}),
  });
}

/** Writes the document of the page's state. Returns the new revision. */
export async function write(state) {
  const body = new Blob([compact(wholeOf(state))], { type: 'application/json' });
  if (body.size > DOCUMENT_BYTES_MAX) throw new Error(texts.tooLarge);
  return (await ask('PUT', documentPath(state.database, state.id), body)).rev;
}

/** The server's words about a function without the function's text, which it repeats. */
export function shortReason(error, node) {
  let reason = error.answer?.reason || error.message;
  for (const source of sources(node)) reason = reason.replace(` (${source})`, '');
  return reason;
}

/** The entry of a message about a function, such as `Compilation of the map function in the 'km' view failed`. */
export function placeOf(reason, list) {
  const found = /^Compilation of the (\w+) function in the '([^]*)' (\w+) failed/.exec(reason);
  if (!found) return null;
  const entry = list.find(item => item.name === found[2] && (item.kind.id === 'view' || found[3] !== 'view'));
  return entry ? { entry, isReduce: found[1] === 'reduce' } : null;
}

/** The number of the line that a message has; 0 without one. */
export const lineOf = reason => Number(/\bline (\d+)/i.exec(reason)?.[1] || 0);

// ---- Someone else saved in between

/** @param take `take(node, newer)` continues with a document as the text, on top of the newer revision, or of none. */
export function conflictDialog(state, take, signal) {
  const element = dialog(texts.document.conflictTitle, close => {
    const host = h('div', { class: 'form' }), choose = (...all) => { take(...all); close(); };
    load(host, () => newest(state, signal), newer => newer ? newerView(state, newer, choose) : deletedView(state, choose), signal);
    return host;
  }, { class: 'wide' });
  signal.addEventListener('abort', () => element.close());
}

function deletedView(state, choose) {
  return [h('p', null, texts.document.conflictDeleted), h('div', { class: 'buttons' }, button(texts.document.saveAgain, () => choose(state.node, null), { class: 'primary' }))];
}

function newerView(state, newer, choose) {
  const both = combined(parse(state.saved), state.node, newer.fields);
  return [
    h('p', null, texts.document.conflictText(newer._rev)), besideView(lines(readable(newer.fields), readable(state.node)), texts.document.newer, t.own),
    !both && h('p', { class: 'note' }, t.cannotCombine),
    h('div', { class: 'buttons' },
      both && button(texts.document.combine, () => choose(both, newer), { class: 'primary' }),
      button(t.keepOwn, () => choose(state.node, newer)), button(t.takeNewer, () => choose(newer.fields, newer))),
  ];
}

/** The changes of both together; `null` if both changed the same function. */
function combined(base, own, newer) {
  const choices = [], part = merge(base, [own, newer], choices);
  return choices.length ? null : parse(format(resultOf(part)));
}
