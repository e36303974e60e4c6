// The typed values of a new application. They are kept when the user goes back or loads the page again, until it is created.
// Secrets of providers are kept in memory alone: they are typed again after the page was loaded again, and after a logout.
import { session } from '../api.js';

const STORED = 'godwit-new-application';

const EMPTY = {
  name: '', id: '', ios: '', android: '', web: '', prefix: '', isConsolidated: false, consolidated: '', shared: [],
  registration: 'administrators', perMinute: 10, length: 8, first: '', warnedBefore: '', required: false, url: '', redirects: '', providers: {}, withSecret: [], typed: {},
};

/** The members of a provider that the browser never stores. */
const SECRETS = ['client_secret', 'private_key'];
/** The secrets of the draft's providers, by name. */
const secrets = new Map();

/** The draft of this user; where the browser stores nothing, that of this page. */
let draft = null;

export function readDraft() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED));
    draft = stored?.user === session.name ? { ...structuredClone(EMPTY), ...stored } : null;
  } catch { /* the browser stores nothing */ }
  if (draft?.user === session.name) return draft;
  secrets.clear();
  draft = { ...structuredClone(EMPTY), user: session.name };
  return draft;
}

export function storeDraft() {
  try { sessionStorage.setItem(STORED, JSON.stringify(draft)); } catch { /* the draft lasts until the page is closed */ }
}

export function clearDraft() {
  draft = null;
  secrets.clear();
  try { sessionStorage.removeItem(STORED); } catch { /* nothing is stored */ }
}

// ---- Providers

/** Takes a provider into the draft. Without a new secret the typed one stays. */
export function setProvider(name, provider) {
  const typed = Object.entries(provider).filter(([key]) => SECRETS.includes(key));
  if (typed.length) secrets.set(name, Object.fromEntries(typed));
  draft.providers[name] = Object.fromEntries(Object.entries(provider).filter(([key]) => !SECRETS.includes(key)));
  draft.withSecret = Object.keys(draft.providers).filter(key => secrets.has(key) || (key !== name && draft.withSecret.includes(key)));
  storeDraft();
}

export function removeProvider(name) {
  secrets.delete(name);
  delete draft.providers[name];
  draft.withSecret = draft.withSecret.filter(key => key !== name);
  storeDraft();
}

/** Where the secret of a provider of the draft is: `typed`, `lost` if it must be typed again, or `none`. */
export function secretState(name) {
  if (secrets.has(name)) return 'typed';
  return draft.withSecret.includes(name) ? 'lost' : 'none';
}

/** The names of the providers whose secret must be typed again. */
export const lostSecrets = () => draft.withSecret.filter(name => !secrets.has(name));

/** The draft's providers with their secrets, or with `words` in their place. */
export function providersWithSecrets(words) {
  const secretOf = name => Object.fromEntries(Object.entries(secrets.get(name) || {}).map(([key, value]) => [key, words ?? value]));
  return Object.fromEntries(Object.entries(draft.providers).map(([name, provider]) => [name, { ...provider, ...secretOf(name) }]));
}

document.addEventListener('session-ended', () => secrets.clear());
// A page may prevent a logout after this listener.
document.addEventListener('logging-out', event => queueMicrotask(() => { if (!event.defaultPrevented) secrets.clear(); }));

// ---- Fields

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
