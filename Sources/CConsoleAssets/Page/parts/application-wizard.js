// Creates an application in four steps, and shows the code of its app.
import { ask, get } from '../api.js';
import { button, h } from '../view.js';
import { texts } from '../texts.js';
import { codeOf, PLATFORMS } from './application-code.js';
import { applicationPath } from './application-paths.js';
import { summary } from './application-settings.js';
import { accountsStep, appStep, databasesStep } from './application-steps.js';
import { block, sameElsewhere } from './same.js';

const t = texts.applications;

export function show(host, signal) {
  // A step has `element`, `read()` for its part of the declaration, and `begin(state)` for what earlier steps suggest.
  const app = appStep(), steps = [app, databasesStep(), accountsStep()];
  const place = h('div', { class: 'query' }), list = h('ol', { class: 'steps' });
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true });
  const go = index => {
    list.replaceChildren(...t.steps.map((title, i) => h('li', { 'aria-current': i === index && 'step' }, title)));
    refusal.hidden = true;
    if (index < steps.length) {
      steps[index].begin?.(app.state());
      place.replaceChildren(stepForm(steps[index].element, () => go(index + 1), index > 0 && (() => go(index - 1))));
    } else {
      place.replaceChildren(...lastStep(declarationOf(steps), () => go(index - 1), create, refusal));
    }
    place.querySelector('input, button, select')?.focus();
  };
  const create = async declaration => {
    refusal.hidden = true;
    const { id, ...body } = declaration;
    try {
      if ((await get('/_apps', { signal })).includes(id)) throw new Error(t.exists(id));
      await ask('PUT', applicationPath(id), body, { signal });
      const stored = await get(applicationPath(id), { signal });
      list.replaceChildren();
      place.replaceChildren(...result(stored, app.state().platforms));
      place.querySelector('h2').focus();
    } catch (error) {
      if (error.name === 'AbortError') return;
      refusal.textContent = error.message;
      refusal.hidden = false;
    }
  };
  host.replaceChildren(h('p', { class: 'crumbs' }, h('a', { href: '#/applications' }, t.title)), h('h1', null, t.create), list, place);
  go(0);
}

function stepForm(element, next, back) {
  return h('form', { class: 'form', onsubmit: event => { event.preventDefault(); next(); } },
    element, h('div', { class: 'buttons' }, back && button(t.back, back), h('button', { class: 'primary' }, t.nextStep)));
}

/** The body of the request, without what is empty. */
function declarationOf(steps) {
  const [app, databases, accounts] = steps.map(step => step.read());
  return { ...app, ...databases, ...accounts };
}

function lastStep(declaration, back, create, refusal) {
  const { id, ...body } = declaration;
  const submit = button(t.create, async () => {
    submit.disabled = true;
    await create(declaration);
    submit.disabled = false;
  }, { class: 'primary' });
  return [h('p', null, t.check), summary(declaration), block(`PUT ${applicationPath(id)}`, JSON.stringify(body, null, 2)), refusal,
    h('div', { class: 'buttons' }, button(t.back, back), submit), sameElsewhere([{ method: 'PUT', address: applicationPath(id), body }])];
}

function result(declaration, platforms) {
  const { id } = declaration;
  return [
    h('h2', { tabindex: '-1' }, t.created(id)), block(t.id, id), block(t.route, `${location.origin}${applicationPath(id)}`), summary(declaration),
    ...(platforms.length ? platforms : ['ios']).flatMap(platform => [h('h2', null, t.codeFor(PLATFORMS[platform])), ...codeOf(declaration, platform)]),
    h('div', { class: 'buttons' }, button(t.showApplication, () => { location.hash = `#/applications/${encodeURIComponent(id)}`; }, { class: 'primary' })),
  ];
}
