// Creates an application: one question on each page, then the code of its app. `#/applications?new=1` is the first page, `?created=ID` the result.
import { ask, get } from '../api.js';
import { button, h, load } from '../view.js';
import { texts } from '../texts.js';
import { codePart } from './application-code.js';
import { opensParts } from './application-change.js';
import { clearDraft, lostSecrets, readDraft } from './application-draft.js';
import { applicationPath } from './application-paths.js';
import { facts } from './application-settings.js';
import { redirectOf } from './application-provider.js';
import { kindOf } from './application-provider-kinds.js';
import { declarationOf, LOGIN_STEP, STEPS } from './application-steps.js';
import { block, sameElsewhere } from './same.js';

const t = texts.applications;
const addressOf = index => `#/applications?new=${index + 1}`;

export function show(host, route, signal) {
  const draft = readDraft(), asked = Math.min(Math.max(Number(route.query.get('new')) - 1 || 0, 0), STEPS.length);
  // Later pages need the id. A page that was left before shows what is typed there.
  const index = draft.id ? asked : 0;
  if (index !== asked) history.replaceState(null, '', addressOf(index));
  const list = h('ol', { class: 'steps' }, t.steps.map((title, i) => h('li', { 'aria-current': i === index && 'step' }, i < index ? h('a', { href: addressOf(i) }, title) : title)));
  const place = h('div', { class: 'query' });
  host.replaceChildren(h('p', { class: 'crumbs' }, h('a', { href: '#/applications' }, t.title)), h('h1', null, t.create), list, place);
  const back = index > 0 && button(t.back, () => { location.hash = addressOf(index - 1); });
  place.replaceChildren(index < STEPS.length ? stepForm(index, draft, back) : lastStep(draft, back, signal));
  // Optional fields are in parts that can be closed.
  [...place.querySelectorAll('input, button.primary, select')].find(element => !element.disabled && !element.closest('details'))?.focus({ preventScroll: true });
}

function stepForm(index, draft, back) {
  const next = event => {
    event.preventDefault();
    location.hash = addressOf(index + 1);
  };
  return opensParts(h('form', { class: 'form wizard', autocomplete: 'off', onsubmit: next }, h('h2', { class: 'question' }, t.questions[index]), h('p', { class: 'note' }, t.questionNotes[index]),
    STEPS[index](draft), h('div', { class: 'buttons' }, back, h('button', { class: 'primary' }, t.nextStep))));
}

function lastStep(draft, back, signal) {
  const { id, body } = declarationOf(draft, t.provider.secretHere), address = applicationPath(id), lost = lostSecrets();
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
  const submit = button(t.create, async () => {
    submit.disabled = true;
    refusal.hidden = true;
    try {
      if ((await get('/_apps', { signal })).includes(id)) throw new Error(t.exists(id));
      await ask('PUT', address, declarationOf(draft).body, { signal });
      clearDraft();
      location.replace(`#/applications?created=${encodeURIComponent(id)}`);
    } catch (error) {
      if (error.name === 'AbortError') return;
      refusal.textContent = error.message;
      refusal.hidden = false;
    } finally {
      submit.disabled = false;
    }
  }, { class: 'primary', disabled: lost.length > 0 });
  const warning = lost.length > 0 && h('p', { class: 'warning', role: 'alert' }, t.provider.secretsGone(lost), ' ', h('a', { href: addressOf(LOGIN_STEP) }, t.provider.toSecrets));
  return h('div', { class: 'form' }, h('h2', { class: 'question' }, t.check), h('p', { class: 'note' }, t.checkNote),
    facts({ id, ...body }, { isPlanned: true }), warning, refusal, h('div', { class: 'buttons' }, back, submit), sameElsewhere([{ method: 'PUT', address, body }]));
}

// ---- The result

export async function showCreated(host, id, signal) {
  const place = h('div', { class: 'query' });
  host.replaceChildren(h('p', { class: 'crumbs' }, h('a', { href: '#/applications' }, t.title)), h('h1', { tabindex: '-1' }, t.created(id)), place);
  await load(place, () => get(applicationPath(id), { signal }), declaration => {
    const needsUsers = declaration.registration === 'administrators';
    return [needsUsers && h('p', null, t.createUsers, ' ', h('a', { href: `#/applications/${encodeURIComponent(id)}?tab=users` }, t.createUser)), facts(declaration, { withoutAddress: true }), ...redirectBlocks(declaration), block(t.id, id), ...codePart(declaration, signal),
      h('div', { class: 'buttons' }, button(t.showApplication, () => { location.hash = `#/applications/${encodeURIComponent(id)}`; }, { class: 'primary' }),
        h('a', { href: `#/applications/${encodeURIComponent(id)}?tab=logins` }, declaration.providers ? t.changeProviders : t.addProviders))];
  }, signal);
}

/** What must be entered at each provider. */
function redirectBlocks(declaration) {
  const p = t.provider, providers = Object.entries(declaration.providers || {}).filter(([name, provider]) => kindOf(name, provider) !== 'custom');
  if (!providers.length) return [];
  return [
    h('p', { class: 'note' }, p.enterRedirects(providers.length)),
    !declaration.url && h('p', { class: 'warning' }, p.redirectNeedsURL, ' ', h('a', { href: `#/applications/${encodeURIComponent(declaration.id)}?tab=logins` }, t.toAddress)),
    ...providers.map(([name]) => block(p.redirectFor(name), redirectOf(declaration, name))),
  ];
}
