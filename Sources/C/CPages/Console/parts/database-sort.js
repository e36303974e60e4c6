// The order of a list of documents: by id, or by a field that has an index.
import { actionButton, h } from '../view.js';
import { texts } from '../texts.js';
import { makeIndex } from './query-index.js';

const t = texts.database;

/** The field of the list without another order. */
export const ID = '_id';
/** The error of the server if no index has the order. */
export const isWithoutIndex = error => error.code === 'no_usable_index';

/** The order in the page's address: `km`, or `-km` for a descending one. */
export const sortText = ({ sort }) => sort ? `${sort.isDescending ? '-' : ''}${sort.name}` : undefined;

/** The order of an address; `null` is the ascending one by id. */
export function sortOf(text) {
  if (!text) return null;
  return text.startsWith('-') ? { name: text.slice(1), isDescending: true } : { name: text, isDescending: false };
}

/** The order as in the body of a query. */
export const sortBody = sort => [{ [sort.name]: sort.isDescending ? 'desc' : 'asc' }];

const isSame = (sort, name) => (sort?.name ?? ID) === name;

/** A column that can be sorted: a press on its title sorts by it, another one reverses the order. */
export function sortable(column, name, state, choose) {
  const isDescending = isSame(state.sort, name) && Boolean(state.sort?.isDescending);
  return {
    ...column, order: isSame(state.sort, name) ? isDescending ? 'descending' : 'ascending' : null,
    choose: () => choose(isSame(state.sort, name) ? { name, isDescending: !isDescending } : { name, isDescending: false }),
  };
}

/** Says that an order needs an index. Who may, gets a button that makes it; `done()` is called afterwards. */
export function needsIndex(page, sort, done) {
  return h('div', { class: 'warning stack', role: 'alert' }, h('p', null, t.sortNeedsIndex(sort.name)),
    page.mayAdmin && h('div', { class: 'buttons' }, actionButton(t.makeSortIndex(sort.name), async () => {
      await makeIndex(page.database, { fields: [sort.name] });
      await done();
    }, { class: 'primary' })));
}
