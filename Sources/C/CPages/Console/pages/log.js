// The log of the server, live: the newest lines first.
import { get, withQuery } from '../api.js';
import { sameElsewhere } from '../parts/same.js';
import { ROWS_MAX } from '../parts/table.js';
import { button, emptyState, errorState, field, h } from '../view.js';
import { texts } from '../texts.js';

const TURN_MILLISECONDS = 2000;
const LEVELS = ['trace', 'debug', 'info', 'notice', 'warning', 'error', 'critical'];
const ADDRESS = '/_utils/log';
const t = texts.log;

export async function show(host, route, signal) {
  const body = h('tbody'), place = h('div');
  const search = h('input', { type: 'search', 'data-search': true, autocomplete: 'off', spellcheck: 'false' });
  const level = h('select', null, LEVELS.map(name => h('option', { value: name }, name)));
  const context = { lines: [], last: 0, isPaused: false, body, place, search, level, signal };
  const pause = button(t.pause, () => {
    context.isPaused = !context.isPaused;
    pause.textContent = context.isPaused ? t.continue : t.pause;
  });
  search.addEventListener('input', () => draw(context));
  level.addEventListener('change', () => draw(context));
  host.replaceChildren(h('h1', null, t.title), h('p', { class: 'note' }, t.note),
    h('div', { class: 'form-grid' }, field(t.search, search), field(t.level, level)), h('div', { class: 'buttons' }, pause), place, sameElsewhere([{ address: ADDRESS }]));
  await read(context);
  follow(context);
}

async function follow(context) {
  while (!context.signal.aborted) {
    await new Promise(resolve => { setTimeout(resolve, TURN_MILLISECONDS); });
    if (!context.signal.aborted && !context.isPaused && !document.hidden) await read(context);
  }
}

async function read(context) {
  try {
    const { lines, newest } = await get(withQuery(ADDRESS, { after: context.last }), { signal: context.signal });
    if (context.signal.aborted) return;
    // The server was started again.
    if (newest < context.last) {
      Object.assign(context, { lines: [], last: 0 });
      return read(context);
    }
    context.lines = [...context.lines, ...lines].slice(-ROWS_MAX);
    context.last = context.lines.at(-1)?.number ?? 0;
    if (lines.length || !context.place.firstChild || context.hasError) draw(context);
    context.hasError = false;
  } catch (error) {
    if (error.name === 'AbortError' || context.signal.aborted) return;
    context.hasError = true;
    context.place.replaceChildren(errorState(error));
  }
}

function draw(context) {
  const wanted = context.search.value.trim().toLowerCase(), lowest = LEVELS.indexOf(context.level.value);
  const shown = context.lines.filter(line => LEVELS.indexOf(line.level) >= lowest &&
    `${line.message} ${line.details}`.toLowerCase().includes(wanted)).reverse();
  if (!shown.length) return context.place.replaceChildren(emptyState(context.lines.length ? t.noneFound : t.none));
  context.body.replaceChildren(...shown.map(line => h('tr', null, h('th', { scope: 'row', class: 'nowrap' }, line.time), h('td', { class: `nowrap level-${line.level}` }, line.level), h('td', null, line.message), h('td', null, line.details))));
  if (context.place.firstElementChild?.className === 'table-scroll') return;
  context.place.replaceChildren(h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t.title }, h('table', { class: 'data-table log-table' }, h('caption', { class: 'hidden' }, t.title),
    h('thead', null, h('tr', null, [t.time, t.level, t.message, t.details].map(title => h('th', { scope: 'col' }, title)))), context.body)));
}
