// The state of the backups in words, their schedule, and the backup in progress.
import { ask } from '../api.js';
import { actionButton, button, count, dialog, field, h, moment, toast } from '../view.js';
import { texts } from '../texts.js';
import { bar } from './backup-check.js';
import { block } from './same.js';

export const BACKUPS = '/_godwit/backups';
export const SETTINGS = '/_node/_local/_config/backup';
/** The bounds of the settings on the server. */
const HOURS_MAX = 8760, KEPT_MAX = 1000;
const t = texts.backups;

/** The path of a backup and of its parts. */
export const backupPath = (id, ...parts) => [BACKUPS, encodeURIComponent(id), ...parts].join('/');

/**
 * A part with the state: `{ element, show(answer) }`. It changes only when the answer differs, and progress only moves its bar.
 *
 * @param changed Called after something was changed here.
 */
export function statePart(changed) {
  const element = h('div', { class: 'stack backup-state' }), work = h('div'), words = h('div', { class: 'stack' }), spoken = h('p', { class: 'hidden', role: 'status' });
  let shown = null, running = null, progress = null;
  element.append(words, work, spoken);
  return {
    element,
    show(answer) {
      const id = answer.running?.id ?? null;
      if (id !== running || shown === null) {
        if (running !== null && id === null) spoken.textContent = t.ended;
        running = id;
        progress = id === null ? null : bar(t.running, t.cancelBackup, async () => {
          await ask('DELETE', backupPath(id));
          toast(t.wasCancelled);
          await changed();
        });
        work.replaceChildren(...(progress ? [progress.element] : []));
      }
      progress?.show(answer.running.done, answer.running.databases);
      const text = JSON.stringify([answer.directory, answer.every_hours, answer.keep, answer.next, answer.failure, answer.backups[0], id]);
      if (text === shown) return;
      shown = text;
      words.replaceChildren(...(answer.directory === null ? noDirectory() : stateOf(answer, changed)));
    },
  };
}

function noDirectory() {
  const port = location.port ? ` --port ${location.port}` : '';
  return [h('p', { class: 'warning' }, t.noDirectory), h('p', null, t.noDirectoryHow), block('godwit', `godwit serve --backups DIRECTORY --data DATA${port}`),
    h('p', { class: 'note' }, t.noDirectoryWords), h('p', null, t.fileInstead, ' ', h('a', { href: '#/databases' }, texts.databases.title))];
}

function stateOf(answer, changed) {
  const newest = answer.backups[0], { failure } = answer;
  const facts = [
    [t.last, newest ? lastWords(newest) : t.never],
    [t.next, answer.running ? t.nowRunning : answer.next === null ? t.noSchedule : answer.next * 1000 <= Date.now() ? t.soon : moment(answer.next)],
    [t.schedule, [answer.every_hours > 0 ? t.every(answer.every_hours) : t.onlyByHand, ' ', t.kept(answer.keep), ' ', button(t.change, () => editSchedule(answer, changed), { class: 'small' })]],
    [t.directory, h('code', null, answer.directory)],
  ];
  return [
    failure && h('p', { class: 'refusal' }, t.failed(moment(failure.time), failure.reason)),
    h('dl', { class: 'facts' }, facts.map(([title, value]) => [h('dt', null, title), h('dd', null, value)])),
  ].filter(Boolean);
}

function lastWords(backup) {
  if (backup.error) return backup.error;
  return [
    h('a', { href: `#/backups/${encodeURIComponent(backup.id)}` }, moment(backup.started)), ' ',
    backup.failures ? h('span', { class: 'tag tag-red' }, t.failures(count(backup.failures))) : h('span', { class: 'tag tag-green' }, t.complete),
  ];
}

// ---- The schedule

function editSchedule(answer, changed) {
  dialog(t.schedule, close => {
    const hours = h('input', { type: 'number', min: 0, max: HOURS_MAX, step: 1, required: true, value: answer.every_hours, autofocus: true });
    const keep = h('input', { type: 'number', min: 1, max: KEPT_MAX, step: 1, required: true, value: answer.keep });
    const refusal = h('p', { class: 'refusal', role: 'alert', hidden: true }), submit = h('button', { class: 'primary' }, texts.save);
    const save = async () => {
      refusal.hidden = true;
      submit.disabled = true;
      try {
        if (Number(hours.value) !== answer.every_hours) await ask('PUT', `${SETTINGS}/every_hours`, String(Number(hours.value)));
        if (Number(keep.value) !== answer.keep) await ask('PUT', `${SETTINGS}/keep`, String(Number(keep.value)));
        close();
        toast(t.scheduleSaved);
        await changed();
      } catch (error) {
        refusal.textContent = error.message;
        refusal.hidden = false;
      } finally {
        submit.disabled = false;
      }
    };
    return h('form', { class: 'form', onsubmit: event => { event.preventDefault(); save(); } },
      field(t.hours, hours, t.hoursNote), field(t.keep, keep, t.keepNote), refusal,
      h('div', { class: 'buttons' }, submit, button(texts.cancel, close)));
  });
}

/** The button that begins a backup. */
export const beginButton = changed => actionButton(t.begin, async () => {
  await ask('POST', BACKUPS, {});
  await changed();
}, { class: 'primary' });
