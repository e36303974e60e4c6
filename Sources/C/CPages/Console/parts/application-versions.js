// The versions of an application that are served, with a warning, or not at all.
import { field, h } from '../view.js';
import { texts } from '../texts.js';
import { changeForm, readApplication, withChanged, withValues } from './application-change.js';
import { applicationPath } from './application-paths.js';
import { rawValue } from './query-nodes.js';
import { sameElsewhere } from './same.js';

const t = texts.applications;
const list = text => text.split(/[\s,]+/).filter(Boolean);

export async function make(id, signal) {
  const { node: stored, value: { versions } } = await readApplication(id, signal);
  const text = value => h('input', { value: value || '', autocomplete: 'off', spellcheck: 'false' });
  const notice = (name, rules) => ({ message: text(rules?.message), url: h('input', { type: 'url', value: rules?.url || '' }), name });
  const inputs = {
    first: text(versions.first), blocked: text(versions.blocked?.join(', ')), warnedBefore: text(versions.warned_before), warned: text(versions.warned?.join(', ')),
    required: h('input', { type: 'checkbox', checked: versions.required }), refusal: notice('refusal', versions.refusal), warning: notice('warning', versions.warning),
  };
  const content = [h('fieldset', { class: 'choice' }, h('legend', null, t.refusedVersions),
    h('div', { class: 'form-grid' }, field(t.first, inputs.first, t.firstNote), field(t.blockedVersions, inputs.blocked, t.listNote)),
    h('label', { class: 'check' }, inputs.required, t.required), noticeFields(inputs.refusal)),
  h('fieldset', { class: 'choice' }, h('legend', null, t.warnedVersions),
    h('div', { class: 'form-grid' }, field(t.warnedBefore, inputs.warnedBefore), field(t.warned, inputs.warned, t.listNote)), noticeFields(inputs.warning))];
  return [changeForm(id, content, node => withChanged(node, 'versions', before => withValues(before, rules(inputs)))),
  sameElsewhere(() => [{ method: 'PUT', address: applicationPath(id), body: rawValue(withChanged(stored, 'versions', before => withValues(before, rules(inputs)))) }])];
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
