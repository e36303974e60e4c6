// A table with a limited number of rows: further rows are read by key when the user asks for them.
import { actionButton, button, emptyState, h } from '../view.js';
import { texts } from '../texts.js';

/** The maximum number of rows in the page at a time. */
export const ROWS_MAX = 300;

/**
 * A table that grows page by page.
 *
 * @param columns `[{ title, cell(row), isNumber, order, choose }]`; `cell` returns a node or a text. A column with `choose()` has a
 *   button as its title, which calls it; `order` is `ascending` or `descending` if the rows are in the order of the column.
 * @param read `read(cursor)` returns a promise of `{ rows, next }`; `next` is the cursor of the following page, or `null`.
 * @param options `empty` is the text without rows; `caption` names the table for readers of the screen; `isDense` keeps each row
 *   on one line.
 *
 * Rows at the beginning are removed when there are more than `ROWS_MAX`; a button returns to the beginning.
 */
export async function pagedTable(columns, read, options) {
  const body = h('tbody'), foot = h('div', { class: 'table-foot' });
  const table = h('table', { class: options.isDense ? 'data-table dense' : 'data-table' }, h('caption', { class: 'hidden' }, options.caption),
    h('thead', null, h('tr', null, columns.map(headOf))), body);
  const host = h('div', { class: 'table-host' }, h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': options.caption }, table), foot);
  let removed = 0;

  /** Reads a page; `isAsked` by the button of the table, whose place in the focus order the next button takes. */
  async function more(cursor, isAsked = false) {
    const page = await read(cursor);
    body.append(...page.rows.map(row => h('tr', null, columns.map((column, i) =>
      h(i === 0 ? 'th' : 'td', { scope: i === 0 && 'row', class: column.isNumber && 'number' }, column.cell(row))))));
    while (body.children.length > ROWS_MAX) {
      body.firstElementChild.remove();
      removed += 1;
    }
    foot.replaceChildren(...[
      removed > 0 && actionButton(texts.table.toStart, restart),
      page.next !== null && actionButton(texts.table.more, () => more(page.next, true), { 'data-more': true }),
      h('span', { class: 'note' }, texts.table.shown(removed + 1, removed + body.children.length, page.next === null)),
    ].filter(Boolean));
    if (isAsked) (foot.querySelector('[data-more]') || foot.querySelector('button') || body.lastElementChild?.querySelector('a, button'))?.focus();
    return page;
  }

  async function restart() {
    body.replaceChildren();
    removed = 0;
    await more(null);
  }

  const first = await more(null);
  return first.rows.length ? host : emptyState(options.empty);
}

function headOf({ title, isNumber, order, choose }) {
  const mark = order && h('span', { 'aria-hidden': 'true' }, order === 'descending' ? ' ▼' : ' ▲');
  return h('th', { scope: 'col', class: isNumber && 'number', 'aria-sort': order },
    choose ? button([h('bdi', null, title), mark], choose, { class: 'sort', title: texts.table.sortBy(title) }) : title);
}
