// The versions of an application that are served, with a warning, or not at all.
import { ask, get } from '../api.js';
import { field, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { applicationPath } from './application-paths.js';
import { sameElsewhere } from './same.js';

const t = texts.applications;
const list = text => text.split(/[\s,]+/).filter(Boolean);

export async function make(id, signal) {
  const declaration = await get(applicationPath(id), { signal }), { versions } = declaration;
  const text = value => h('input', { value: value || '', autocomplete: 'off', spellcheck: 'false' });
  const notice = (name, rules) => ({ message: text(rules?.message), url: h('input', { type: 'url', value: rules?.url || '' }), name });
  const inputs = {
    first: text(versions.first), blocked: text(versions.blocked?.join(', ')), warnedBefore: text(versions.warned_before), warned: text(versions.warned?.join(', ')),
    required: h('input', { type: 'checkbox', checked: versions.required }), refusal: notice('refusal', versions.refusal), warning: notice('warning', versions.warning),
  };
  const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), submit = h('button', { class: 'primary' }, texts.save);
  return [h('form', {
    class: 'form', onsubmit: async event => {
      event.preventDefault();
      submit.disabled = true;
      refusal.hidden = true;
      try {
        // The declaration may have changed since the form was opened: only its versions are replaced.
        const current = await get(applicationPath(id));
        await ask('PUT', applicationPath(id), { ...current, versions: rules(inputs) });
        toast(t.saved);
      } catch (error) {
        refusal.textContent = error.message;
        refusal.hidden = false;
      } finally {
        submit.disabled = false;
      }
    },
  }, h('fieldset', { class: 'choice' }, h('legend', null, t.refusedVersions),
    h('div', { class: 'form-grid' }, field(t.first, inputs.first, t.firstNote), field(t.blockedVersions, inputs.blocked, t.listNote)),
    h('label', { class: 'check' }, inputs.required, t.required), noticeFields(inputs.refusal)),
  h('fieldset', { class: 'choice' }, h('legend', null, t.warnedVersions),
    h('div', { class: 'form-grid' }, field(t.warnedBefore, inputs.warnedBefore), field(t.warned, inputs.warned, t.listNote)), noticeFields(inputs.warning)),
  refusal, h('div', { class: 'buttons' }, submit)),
  sameElsewhere(() => [{ method: 'PUT', address: applicationPath(id), body: { ...declaration, versions: rules(inputs) } }])];
}

function noticeFields({ message, url }) {
  return h('div', { class: 'form-grid' }, field(t.message, message), field(t.url, url, t.urlNote));
}

function rules(inputs) {
  const notice = ({ message, url }) => message.value.trim() ? { message: message.value.trim(), ...(url.value && { url: url.value }) } : undefined;
  return {
    first: inputs.first.value.trim() || undefined, blocked: list(inputs.blocked.value), required: inputs.required.checked,
    warned_before: inputs.warnedBefore.value.trim() || undefined, warned: list(inputs.warned.value),
    refusal: notice(inputs.refusal), warning: notice(inputs.warning),
  };
}
