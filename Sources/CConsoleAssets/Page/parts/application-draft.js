// The typed values of a new application. They are kept when the user goes back or loads the page again, until it is created.
import { session } from '../api.js';

const STORED = 'godwit-new-application';

const EMPTY = {
  name: '', id: '', ios: '', android: '', web: '', prefix: '', isConsolidated: false, consolidated: '', shared: [],
  registration: 'administrators', perMinute: 10, length: 8, first: '', warnedBefore: '', required: false, url: '', redirects: '', typed: {},
};

/** The draft of this user; where the browser stores nothing, that of this page. */
let draft = null;

export function readDraft() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED));
    draft = stored?.user === session.name ? stored : null;
  } catch { /* the browser stores nothing */ }
  if (draft?.user !== session.name) draft = { ...structuredClone(EMPTY), user: session.name };
  return draft;
}

export function storeDraft() {
  try { sessionStorage.setItem(STORED, JSON.stringify(draft)); } catch { /* the draft lasts until the page is closed */ }
}

export function clearDraft() {
  draft = null;
  try { sessionStorage.removeItem(STORED); } catch { /* nothing is stored */ }
}

/** Makes an element show a member of the draft, and store what the user types. */
export function bound(draft, name, input) {
  const key = input.type === 'checkbox' ? 'checked' : 'value';
  input[key] = draft[name];
  input.addEventListener(input.type === 'checkbox' || input.tagName === 'SELECT' ? 'change' : 'input', () => {
    draft[name] = input[key];
    draft.typed[name] = input[key] !== '';
    storeDraft();
  });
  return input;
}
