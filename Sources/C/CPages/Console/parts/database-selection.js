// Selected documents, and what can be done with them or with all that are found: change, export, delete, purge.
import { ask, isAdministrator, path } from '../api.js';
import { button, confirm, count, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { bulkEditDialog } from './bulk-edit.js';
import { exportDialog } from './database-export.js';
import { purgeDialog } from './database-purge.js';

/** Documents that are deleted with one request, and the maximum number of selected documents. */
const BATCH = 500, SELECTED_MAX = 5000;
const t = texts.database;

/**
 * The selected documents of a list. `box(row)` is a check box, `seen(rows)` says which rows were read, `selectAll()` selects
 * the rows in the page, and `clear()` begins a new list. After a deletion `again()` reads the list.
 */
export function selection(page, again) {
  const chosen = new Map(), boxes = new Map();
  const words = h('span', { role: 'status' });
  const element = h('div', { class: 'selection', hidden: true }, words,
    page.mayWrite && button(texts.bulkEdit.edit, () => bulkEditDialog(page.database, ids(), texts.bulkEdit.ids(count(chosen.size)), page.signal, renew)),
    button(texts.exporting.title, () => exportDialog(page.database, ids(), texts.exporting.ids(count(chosen.size)), page.signal)),
    page.mayWrite && button(t.deleteSelected, () => askAndDelete(page.database, chosen, update, renew), { class: 'danger' }),
    isAdministrator() && button(texts.purging.purge, () => purgeDialog(page.database, ids().ids, page.signal, renew), { class: 'danger-quiet' }),
    button(t.clearSelection, () => { untick(); update(); }));
  const update = () => { element.hidden = chosen.size === 0; words.textContent = t.selected(count(chosen.size)); };
  const ids = () => ({ ids: [...chosen.keys()] });
  const renew = () => {
    if (page.signal.aborted) return;
    clear();
    page.refresh();
    again();
  };
  const untick = () => {
    chosen.clear();
    for (const box of boxes.values()) box.checked = false;
  };
  const choose = row => {
    if (chosen.size >= SELECTED_MAX) { toast(t.tooManySelected(count(SELECTED_MAX)), 'error'); return false; }
    chosen.set(row.id, row.rev);
    return true;
  };

  function box(row) {
    const input = h('input', {
      type: 'checkbox', 'aria-label': t.select(row.id), checked: chosen.has(row.id), onchange: () => {
        if (!input.checked) chosen.delete(row.id);
        else input.checked = choose(row);
        update();
      },
    });
    input.row = row;
    boxes.set(row.id, input);
    return input;
  }

  function selectAll() {
    for (const [id, input] of boxes) {
      if (!input.isConnected) boxes.delete(id);
      else input.checked = chosen.has(id) || choose(input.row);
    }
    update();
  }

  function clear() {
    chosen.clear();
    boxes.clear();
    update();
  }

  const seen = () => { for (const [id, input] of boxes) if (!input.isConnected && !chosen.has(id)) boxes.delete(id); };
  return { element, box, seen, selectAll, clear };
}

function askAndDelete(database, chosen, update, done) {
  const documents = [...chosen].map(([id, rev]) => ({ _id: id, _rev: rev, _deleted: true }));
  confirm(t.deleteTitle(count(documents.length)), t.deleteWarning, t.deleteSelected, async () => {
    const refused = [];
    // It goes to its end also if the page is left meanwhile.
    for (let i = 0; i < documents.length; i += BATCH) {
      const answers = await ask('POST', path(database, '_bulk_docs'), { docs: documents.slice(i, i + BATCH) });
      refused.push(...answers.filter(answer => answer.error));
      for (const answer of answers) if (!answer.error) chosen.delete(answer.id);
      update();
    }
    if (refused.length) toast(t.notDeleted(refused.length, refused[0].id, refused[0].reason), 'error');
    else toast(t.wereDeleted(count(documents.length)));
    done();
  });
}

/** What can be done with all documents that the search and the filter find, not only with the rows in the page. */
export function foundActions(page, state, again) {
  const source = { prefix: state.prefix, selector: state.selector }, isAll = !state.prefix && !state.selector;
  const renew = () => {
    if (page.signal.aborted) return;
    page.refresh();
    again();
  };
  return [
    page.mayWrite && button(t.changeFound(isAll), () => bulkEditDialog(page.database, source, isAll ? texts.bulkEdit.all : texts.bulkEdit.found, page.signal, renew)),
    button(t.exportFound(isAll), () => exportDialog(page.database, source, isAll ? texts.exporting.all : texts.exporting.found, page.signal)),
  ].filter(Boolean);
}
