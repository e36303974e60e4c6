// Purges documents: they and their revisions are removed as if they had never existed.
import { ask, path } from '../api.js';
import { button, count, dialog, errorState, field, h, loadingState, toast } from '../view.js';
import { texts } from '../texts.js';
import { leavesOf } from './document-pages.js';
import { sameElsewhere } from './same.js';

/** What the server accepts in a request. */
const DOCUMENTS_MAX = 100, REVISIONS_MAX = 1000;
/** The maximum number of versions of one document that can be chosen one by one. */
const CHOICES_MAX = 100;
const t = texts.purging;

/** Asks, and purges documents. Only administrators of the server may. `done()` is called after a purge, also if it did not come to its end. */
export function purgeDialog(database, ids, signal, done) {
  // With the page the dialog ends too.
  const end = new AbortController(), stop = () => { end.abort(); element.close(); };
  signal.addEventListener('abort', stop);
  const host = h('div', { class: 'form' }, loadingState());
  let hasBegun = false;
  const element = dialog(ids.length === 1 ? t.titleOf(ids[0]) : t.title(count(ids.length)), close => {
    readLeaves(database, ids, end.signal).then(
      documents => host.replaceChildren(form({ database, documents, signal: end.signal, begins: () => { hasBegun = true; }, close })),
      error => { if (error.name !== 'AbortError') host.replaceChildren(errorState(error)); });
    return host;
  });
  element.addEventListener('close', () => {
    stop();
    signal.removeEventListener('abort', stop);
    if (hasBegun && !signal.aborted) done();
  });
}

async function readLeaves(database, ids, signal) {
  const found = [];
  for (let i = 0; i < ids.length; i += DOCUMENTS_MAX) found.push(...await leavesOf(database, ids.slice(i, i + DOCUMENTS_MAX), signal));
  return found;
}

function form({ database, documents, signal, begins, close }) {
  if (!documents.length) return h('p', null, t.none);
  const choice = documents.length === 1 && documents[0].revisions.length > 1 && documents[0].revisions.length <= CHOICES_MAX ? versions(documents[0]) : null;
  const chosen = () => choice ? [{ ...documents[0], revisions: choice.read() }] : documents;
  const word = documents.length === 1 ? documents[0].id : String(documents.length);
  const input = h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }), submit = h('button', { class: 'danger', disabled: true }, t.purge);
  const update = () => { submit.disabled = input.value !== word || !chosen()[0].revisions.length; };
  const progress = h('p', { class: 'note', role: 'status' }), refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
  input.addEventListener('input', update);
  choice?.element.addEventListener('change', update);
  return h('form', {
    class: 'form', onsubmit: async event => {
      event.preventDefault();
      submit.disabled = true;
      refusal.hidden = true;
      begins();
      try {
        const number = await purge(database, chosen(), signal, words => { progress.textContent = words; });
        close();
        toast(t.done(count(number)));
      } catch (error) {
        if (error.name === 'AbortError') return;
        refusal.textContent = error.message;
        refusal.hidden = false;
        update();
      }
    },
  }, h('p', null, t.what), h('p', { class: 'warning' }, t.warning), choice?.element, field(texts.typeToConfirm(word), input), progress, refusal,
  h('div', { class: 'buttons' }, submit, button(texts.cancel, close)),
  sameElsewhere(() => requests(documents.length === 1 ? chosen() : documents.slice(0, DOCUMENTS_MAX)).map(body => ({ method: 'POST', address: path(database, '_purge'), body }))));
}

/** The versions of a document in conflict, which can be purged one by one. */
function versions(document) {
  const boxes = document.revisions.map(revision => ({ revision, box: h('input', { type: 'checkbox', checked: true }) }));
  return {
    element: h('fieldset', { class: 'choice' }, h('legend', null, t.versions), boxes.map(({ revision, box }) => h('label', { class: 'check' }, box, h('code', { class: 'breaks' }, revision)))),
    read: () => boxes.filter(({ box }) => box.checked).map(({ revision }) => revision),
  };
}

/** The bodies of the requests: each of at most so many documents and revisions as the server accepts. */
function requests(documents) {
  const bodies = [{}];
  let revisionsCount = 0;
  for (const { id, revisions } of documents) {
    for (let i = 0; i < revisions.length; i += REVISIONS_MAX) {
      const part = revisions.slice(i, i + REVISIONS_MAX);
      if (Object.keys(bodies.at(-1)).length >= DOCUMENTS_MAX || revisionsCount + part.length > REVISIONS_MAX) {
        bodies.push({});
        revisionsCount = 0;
      }
      // An id such as `__proto__` is a member as each other.
      Object.defineProperty(bodies.at(-1), id, { value: part, enumerable: true, configurable: true });
      revisionsCount += part.length;
    }
  }
  return bodies;
}

/** Returns the number of documents of which something was purged. */
async function purge(database, documents, signal, show) {
  let done = 0;
  for (const body of requests(documents)) {
    const { purged } = await ask('POST', path(database, '_purge'), body, { signal });
    done += Object.values(purged).filter(revisions => revisions.length).length;
    show(t.progress(count(done), count(documents.length)));
  }
  return done;
}
