// The history of the server as charts, and the slow requests.
import { get } from '../api.js';
import { bytes, count, h, moment } from '../view.js';
import { texts } from '../texts.js';
import { chart } from './chart.js';

/** What can be chosen: the minutes, and the minutes of a point of the charts. */
const SPANS = [{ minutes: 60, step: 1 }, { minutes: 360, step: 5 }, { minutes: 1440, step: 15 }];
const t = texts.overview;

/** What the server does not have: it is not asked again until the console is loaded again. */
const missing = new Set();

/** Reads something that an older server does not have: `null` then. */
export async function optional(address, signal) {
  if (missing.has(address)) return null;
  try {
    return await get(address, { signal });
  } catch (error) {
    if (error.status !== 404) throw error;
    missing.add(address);
    return null;
  }
}

/** The part with the charts: `update(history)` draws them; without a history it is hidden. */
export function historyPart() {
  let history = null, span = SPANS[0], charts = null;
  const buttons = SPANS.map(item => h('button', { type: 'button', 'aria-pressed': String(item === span), onclick: () => choose(item) }, t.spans[item.minutes]));
  const host = h('div', { class: 'charts' }), waiting = h('p', { class: 'note' }, t.noHistory);
  const element = h('section', { class: 'stack', hidden: true }, h('div', { class: 'head' }, h('h2', null, t.history), h('div', { class: 'choice-buttons', role: 'group', 'aria-label': t.spanTitle }, buttons)), waiting, host);
  function choose(item) {
    span = item;
    buttons.forEach((one, i) => one.setAttribute('aria-pressed', String(SPANS[i] === span)));
    draw();
  }
  function draw() {
    if (!history) return;
    const data = chartsOf(history, span);
    if (!charts) {
      charts = data.map(chart);
      host.replaceChildren(...charts.map((item, i) => h('section', { class: 'card' }, h('h3', null, data[i].title), item)));
    } else charts.forEach((item, i) => { item.data = data[i]; });
  }
  return {
    element,
    update(answer) {
      history = answer?.requests?.length ? answer : null;
      // A server that was just started has no complete minute yet.
      element.hidden = !answer;
      waiting.hidden = Boolean(history);
      draw();
    },
  };
}

const milliseconds = value => `${value < 10 && value % 1 ? value.toFixed(1) : count(Math.round(value))} ms`;
const rate = value => value < 10 && value % 1 ? value.toFixed(1) : count(Math.round(value));

/** The values of a span in steps, the last one complete at the end: `combine` makes one value of those of a step. */
function steps(values, { minutes, step }, combine) {
  const last = (values || []).slice(-minutes), found = [];
  for (let end = last.length; end > 0; end -= step) {
    const known = last.slice(Math.max(0, end - step), end).filter(value => value !== null && value !== undefined);
    found.unshift(known.length ? combine(known) : null);
  }
  return found;
}

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;
const most = values => Math.max(...values);

function chartsOf(history, span) {
  const { newest, seconds } = history, clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
  const number = steps(history.requests, span, mean).length;
  const labels = Array.from({ length: number }, (_, i) => clock.format(new Date((newest - ((number - i) * span.step - 1) * seconds) * 1000)));
  const common = { labels, first: span.step === 1 ? t.minute : t.minutesFrom(span.step) };
  return [
    { ...common, title: t.requestsChart, words: rate, series: [
      { name: t.requestsSeries, values: steps(history.requests, span, mean), colour: '--blue', isFilled: true },
      { name: t.failuresSeries, values: steps(history.failures, span, most), colour: '--red', isBar: true }] },
    { ...common, title: t.timesChart, words: milliseconds, series: [
      { name: t.half, values: steps(history.p50, span, mean), colour: '--blue' },
      { name: t.almostAll, values: steps(history.p99, span, most), colour: '--focus', isDashed: true }] },
    { ...common, title: t.writesChart, words: rate, series: [
      { name: t.writesSeries, values: steps(history.documents_written, span, mean), colour: '--blue', isFilled: true },
      { name: t.replicatedSeries, values: steps(history.documents_replicated, span, mean), colour: '--green', isDashed: true }] },
    { ...common, title: t.memory, words: bytes, series: [{ name: t.memory, values: steps(history.memory, span, most), colour: '--blue', isFilled: true }] },
  ];
}

/** The documents a second that replications wrote in the last complete minute; `null` if it is not known. */
export function replicatedRate(history) {
  const value = history?.documents_replicated?.at(-1);
  return value === undefined || value === null ? null : value / history.seconds;
}

// ---- Slow requests

/** The slow requests as a table; `null` if the server does not record them. */
export function slowPart(answer) {
  if (!answer) return null;
  const { requests, milliseconds: limit } = answer;
  const titles = [t.slowTime, t.slowRequest, t.slowStatus, t.slowDuration, t.slowUser], isNumber = [false, false, true, true, false];
  return [h('h2', null, t.slowTitle), h('p', { class: 'note' }, t.slowNote(count(limit))), requests.length === 0 ? h('p', { class: 'note' }, t.noSlow)
    : h('div', { class: 'table-scroll slow-requests', tabindex: '0', role: 'region', 'aria-label': t.slowTitle }, h('table', { class: 'data-table' },
      h('thead', null, h('tr', null, titles.map((title, i) => h('th', { scope: 'col', class: isNumber[i] && 'number' }, title)))),
      h('tbody', null, requests.map(item => h('tr', null,
        h('td', { class: 'nowrap' }, moment(item.time)), h('th', { scope: 'row', class: 'mono' }, `${item.method} `, h('bdi', null, item.path)),
        h('td', { class: 'number' }, item.status), h('td', { class: 'number' }, milliseconds(item.milliseconds)), h('td', null, h('bdi', null, item.user || ''))))))) ];
}
