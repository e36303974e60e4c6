// Checks of all databases, or of a backup: the progress and the findings, in words.
import { ask, get } from '../api.js';
import { actionButton, count, h, moment } from '../view.js';
import { texts } from '../texts.js';

const CHECK = '/_godwit/check';
const t = texts.backups;

/**
 * A part with the state of the last check.
 *
 * @param changed Called after a check was begun or cancelled here.
 * @param backup The backup whose checks are shown; without it those of all databases and backups, with a button.
 * @returns `{ element, look(signal), begin(address) }`: `look` reads the state and tells whether a check is in progress.
 */
export function checkPart(changed, backup) {
  const state = h('div', { class: 'stack' }), spoken = h('p', { class: 'hidden', role: 'status' });
  const start = actionButton(t.checkAll, () => begin(CHECK));
  const element = h('section', { class: 'stack' }, !backup && [h('h2', null, t.checkTitle), h('p', { class: 'note' }, t.checkNote), h('div', { class: 'buttons' }, start)], state, spoken);
  let shown = null, bar = null;

  async function begin(address) {
    await ask('POST', address, {});
    state.scrollIntoView({ block: 'nearest' });
    await changed();
  }

  /** Changes the page only if the report differs from the shown one; progress only moves its bar. */
  function show(answer) {
    const isOther = backup && answer.ended !== null && answer.backup !== backup, report = isOther ? {} : answer;
    const isRunning = report.started !== undefined && report.ended === null;
    const text = JSON.stringify(isRunning ? [report.backup, report.started, report.faults] : report);
    if (text !== shown) {
      shown = text;
      start.hidden = isRunning;
      bar = isRunning ? progressOf(report, changed) : null;
      state.replaceChildren(...(report.started === undefined ? [] : [bar ? bar.element : summaryOf(report), faultsOf(report)]).filter(Boolean));
      spoken.textContent = report.started === undefined ? '' : isRunning ? t.checking(report.backup) : summaryWords(report);
    }
    bar?.show(report.done, report.databases);
    return isRunning;
  }

  return { element, begin, look: async signal => show(await get(CHECK, { signal })) };
}

/** A bar for work on databases, with a button that cancels it. */
export function bar(label, cancelLabel, cancel) {
  const progress = h('progress', { 'aria-label': label }), words = h('p', { class: 'note' });
  const element = h('div', { class: 'progress' }, h('p', null, label), progress, words, h('div', { class: 'buttons' }, actionButton(cancelLabel, cancel)));
  return {
    element,
    show(done, total) {
      if (total > 0) Object.assign(progress, { max: total, value: done });
      words.textContent = total > 0 ? t.done(count(done), count(total)) : t.begins;
    },
  };
}

const progressOf = (report, changed) => bar(t.checking(report.backup), t.cancelCheck, async () => {
  await ask('DELETE', CHECK);
  await changed();
});

function summaryWords(report) {
  const where = report.backup === null ? t.ofServer : t.ofBackup(report.backup);
  const found = report.faulty ? t.faulty(count(report.faulty)) : report.failure ? '' : t.noFaults;
  return [t.checked(where, moment(report.ended), count(report.done)), found, report.failure].filter(Boolean).join(' ');
}

function summaryOf(report) {
  return h('p', { class: report.faulty ? 'refusal' : report.failure ? 'warning' : 'good' }, summaryWords(report));
}

function faultsOf(report) {
  if (!report.faults.length) return null;
  return h('div', { class: 'table-scroll faults', tabindex: '0', role: 'region', 'aria-label': t.faults }, h('table', { class: 'data-table' }, h('caption', { class: 'hidden' }, t.faults),
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, t.database), h('th', { scope: 'col' }, t.faults))),
    h('tbody', null, report.faults.map(item => h('tr', null,
      h('th', { scope: 'row' }, report.backup === null ? h('a', { href: `#/database/${encodeURIComponent(item.database)}` }, h('bdi', null, item.database)) : h('bdi', null, item.database)),
      h('td', null, item.faults.map(fault => h('p', null, fault))))))));
}
