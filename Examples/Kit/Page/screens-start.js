// The screens before the data: the passphrase of the device's data, and signing in.
import { act } from './api.js';
import { button, h, icon, setText, spinner, whileBusy } from './elements.js';
import { texts } from './texts.js';

/** The screen for the stages `new`, `locked` and `signedOut`. */
export function showStart(host, state) {
  const card = h('div', { class: 'card glass' });
  host.append(h('div', { class: 'start' }, h('div', { class: 'start-sky', 'aria-hidden': 'true' }), h('div', { class: 'start-middle' },
    h('p', { class: 'brand' }, h('img', { src: document.querySelector('link[rel=icon]').href, alt: '', width: 44, height: 44 }), texts.name), card)));
  const { title, update } = state.stage === 'signedOut' ? signIn(card, state) : passphrase(card, state.stage === 'new');
  return { title, update };
}

// ---- Parts of forms

let fieldNumber = 0;

/** A label, an input and the place of its error. */
function field(label, attributes) {
  const id = `field-${fieldNumber += 1}`;
  const input = h('input', { id, 'aria-describedby': `${id}-error`, autocapitalize: 'none', spellcheck: 'false', ...attributes });
  const error = h('p', { class: 'field-error', id: `${id}-error` });
  input.addEventListener('input', () => complain(''));
  function complain(text) {
    setText(error, text);
    if (text) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }
  return { input, complain, element: h('div', { class: 'field' }, h('label', { for: id }, label), input, error) };
}

/** A form: its fields, a place for errors, and one main button that shows the work. */
function form({ fields, submit, working, run, isBusy = () => false }) {
  const error = h('p', { class: 'form-error', role: 'alert' });
  const label = h('span', null, submit);
  const main = h('button', { class: 'primary wide' }, spinner(), label);
  let isRunning = false;
  const element = h('form', { class: 'form', novalidate: true }, fields.map(one => one.element), error, main);

  function showWork() {
    const isWorking = isRunning || isBusy(), isOther = !isRunning && element.parentElement?.querySelector('.is-busy');
    element.classList.toggle('is-working', isWorking && !isOther);
    main.setAttribute('aria-disabled', String(isWorking));
    fields.forEach(one => { one.input.readOnly = isWorking; });
    setText(label, isWorking && !isOther ? working : submit);
  }

  element.addEventListener('submit', async event => {
    event.preventDefault();
    if (isRunning || isBusy()) return;
    const empty = fields.find(one => !one.input.value);
    if (empty) {
      empty.complain(texts.start.empty(empty.element.querySelector('label').textContent));
      return empty.input.focus();
    }
    setText(error, '');
    isRunning = true;
    showWork();
    try {
      await run();
    } catch (problem) {
      setText(error, problem.message);
      fields[fields.length - 1]?.input.select();
      fields[fields.length - 1]?.input.focus();
    }
    isRunning = false;
    showWork();
    return undefined;
  });
  return { element, showWork, error };
}

function header(title, note) {
  return [h('h1', null, title), note && h('p', { class: 'card-note', dir: 'auto' }, note)].filter(Boolean);
}

// ---- The passphrase

function passphrase(card, isNew) {
  const secret = field(texts.start.passphrase, { type: 'password', autocomplete: isNew ? 'new-password' : 'current-password', 'data-first': true });
  const repeated = isNew ? field(texts.start.repeat, { type: 'password', autocomplete: 'new-password' }) : null;
  let state = null;
  const view = form({
    fields: [secret, repeated].filter(Boolean), submit: isNew ? texts.start.choose : texts.start.unlock, working: texts.start.unlocking,
    isBusy: () => state?.busy === 'unlocking',
    async run() {
      if (repeated && repeated.input.value !== secret.input.value) {
        repeated.complain(texts.start.different);
        return repeated.input.focus();
      }
      return act('unlock', { passphrase: secret.input.value });
    },
  });
  const title = isNew ? texts.start.newTitle : texts.start.lockedTitle;
  card.append(...header(title, isNew ? texts.start.newNote : texts.start.lockedNote), view.element);
  if (isNew) view.element.before(h('p', { class: 'hint' }, icon('warning'), h('span', null, texts.start.newWarning)));
  // An app whose data may be stored without encryption has a text for this button.
  if (isNew && texts.start.plain) {
    const plain = button(texts.start.plain, () => whileBusy(plain, () => act('unlock', { passphrase: '' }).catch(error => setText(view.error, error.message))), { class: 'quiet wide' });
    card.append(plain);
  }
  return {
    title,
    update(newState) {
      // A passphrase of the settings that is wrong.
      if (newState.unlockFailure && !state) setText(view.error, newState.unlockFailure);
      state = newState;
      view.showWork();
    },
  };
}

// ---- Signing in

const SIGNING_IN = 'signing in';

/** Signing in: a form for the name and the password, buttons for other ways, or the questions of one of those. */
function signIn(card, first) {
  let state = first, current = null, shown = '', problem = '', isRegistering = false;
  const context = { card, state: () => state, fill, begin, cancel };

  /** What the card shows. While an answer is checked there is no question, and the form with the answer remains. */
  function key() {
    if (state.challenge) return JSON.stringify(['challenge', state.challenge.login, state.challenge.fields]);
    return state.busy === SIGNING_IN && shown.startsWith('["challenge"') ? shown : JSON.stringify(['logins', state.logins]);
  }

  function fill(registers) {
    // The typed texts stay when the server names its logins.
    const isSame = registers === isRegistering && [shown, key()].every(text => text.startsWith('["logins"'));
    const before = isSame ? Array.from(card.querySelectorAll('input')) : [], place = before.indexOf(document.activeElement);
    isRegistering = registers;
    card.replaceChildren();
    shown = key();
    current = state.challenge ? challengeForm(context) : loginForm(context, registers);
    const after = card.querySelectorAll('input');
    before.forEach((input, index) => { if (after[index]) after[index].value = input.value; });
    after[place]?.focus();
    current.showWork();
  }

  /** Begins another way to sign in. Its request ends when the user is signed in, or cannot be. */
  async function begin(login) {
    problem = '';
    setText(current.error, '');
    try {
      if (state.logins.find(one => one.id === login)?.kind === 'browser') {
        const { address } = await act('open', { login, origin: location.origin });
        location.assign(address);
      } else await act('signIn', { login });
    } catch (error) {
      if (problem === null) return;
      problem = error.message;
      if (!state.challenge) setText(current.error, problem);
    }
  }

  function cancel() {
    problem = null;
    return act('cancelSignIn').catch(error => setText(current.error, error.message));
  }

  fill(false);
  return {
    title: texts.start.signInTitle,
    update(newState) {
      const isAsked = newState.challenge && !state.challenge;
      state = newState;
      const isOther = shown !== key();
      if (isOther) fill(!newState.challenge && isRegistering);
      else current.showWork();
      if (isOther || isAsked) Array.from(card.querySelectorAll('input')).find(input => !input.value)?.focus();
      if (state.challenge) setText(current.error, state.challenge.message || '');
      else if (isOther && problem) setText(current.error, problem);
      else if (newState.loginFailure && !newState.busy) setText(current.error, newState.loginFailure);
    },
  };
}

function loginForm({ card, state, fill, begin }, isRegistering) {
  const isBusy = () => state().busy === SIGNING_IN, logins = state().logins;
  const name = field(texts.start.user, { autocomplete: 'username', 'data-first': true });
  const password = field(texts.start.password, { type: 'password', autocomplete: isRegistering ? 'new-password' : 'current-password' });
  // An app in which others see the names of users has a text for this field.
  const fullName = isRegistering && texts.start.fullName ? field(texts.start.fullName, { autocomplete: 'name', autocapitalize: 'words', dir: 'auto' }) : null;
  const values = () => ({ name: name.input.value.trim(), password: password.input.value, fullName: fullName?.input.value.trim() });
  const view = form({
    fields: [fullName, name, password].filter(Boolean), submit: isRegistering ? texts.start.register : texts.start.signIn, working: texts.start.signingIn, isBusy,
    run: () => (isRegistering ? act('register', values()) : act('signIn', { login: 'password', ...values() })),
  });
  const title = isRegistering ? texts.start.registerTitle : texts.start.signInTitle;
  card.append(...header(title, state().server ? texts.start.signInNote(state().server) : null));
  const hasPassword = logins.some(login => login.id === 'password');
  if (hasPassword) {
    card.append(view.element, button(isRegistering ? texts.start.toSignIn : texts.start.toRegister, () => {
      fill(!isRegistering);
      card.querySelector('input').focus();
    }, { class: 'quiet wide' }));
  }
  const others = logins.filter(login => login.id !== 'password').map(login => otherLogin(login, begin, isBusy));
  if (hasPassword && others.length) card.append(h('p', { class: 'or' }, h('span', null, texts.start.or)));
  card.append(...others);
  if (!hasPassword && others.length) card.append(view.error);
  // An app that has something for guests has a text for this button.
  if (texts.start.later) {
    const later = button(texts.start.later, () => whileBusy(later, () => act('later').catch(error => setText(view.error, error.message))), { class: 'quiet wide' });
    card.append(later);
  }
  if (!logins.length) card.append(h('p', { class: 'form-error' }, texts.start.noLogins));
  return view;
}

function otherLogin(login, begin, isBusy) {
  const element = h('button', { type: 'button', class: 'secondary wide', onclick: () => !isBusy() && whileBusy(element, () => begin(login.id)) },
    spinner(), h('span', { dir: 'auto' }, texts.start.signInWith(login.title || login.id)));
  return element;
}

function challengeForm({ card, state, cancel }) {
  const { login, fields } = state().challenge;
  const parts = fields.map((one, index) => ({
    name: one.name,
    ...field(one.title, { type: one.isSecret ? 'password' : 'text', autocomplete: 'off', 'data-first': index === 0 }),
  }));
  const view = form({
    fields: parts, submit: texts.start.answer, working: texts.start.signingIn, isBusy: () => !state().challenge,
    async run() {
      await act('answer', { values: Object.fromEntries(parts.map(part => [part.name, part.input.value])) });
      // A wrong answer keeps the form: its secrets are entered again.
      parts.forEach((part, index) => { if (fields[index].isSecret) part.input.value = ''; });
    },
  });
  card.append(...header(login ? texts.start.challengeTitle(login) : texts.start.signInTitle, null), view.element,
    button(texts.cancel, cancel, { class: 'quiet wide' }));
  return view;
}
