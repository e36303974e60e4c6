// Selected objects, and their deletion.
import { button, confirm, count, h, toast } from '../view.js';
import { texts } from '../texts.js';
import { deleteObject } from './objects-delete.js';

/** The maximum number of selected objects: each is deleted with a separate request. */
const SELECTED_MAX = 1000;
const t = texts.objects;

/**
 * The selected objects of a table: `box(name)` is a check box, `selectAll()` selects the objects in the table, and `clear()`
 * begins a new table. After a deletion `changed()` reads it.
 */
export function selection(place, changed) {
  const chosen = new Set(), boxes = new Map(), words = h('span', { role: 'status' });
  const element = h('div', { class: 'selection', hidden: true }, words,
    button(t.deleteSelected, () => askAndDelete(place, [...chosen], words, changed), { class: 'danger' }),
    button(t.clearSelection, () => { chosen.clear(); for (const box of boxes.values()) box.checked = false; update(); }));
  const update = () => { element.hidden = chosen.size === 0; words.textContent = t.selected(count(chosen.size)); };
  const choose = name => {
    if (chosen.size >= SELECTED_MAX) { toast(t.tooManySelected(count(SELECTED_MAX)), 'error'); return false; }
    chosen.add(name);
    return true;
  };

  function box(name) {
    const input = h('input', {
      type: 'checkbox', 'aria-label': t.select(name), checked: chosen.has(name), onchange: () => {
        if (!input.checked) chosen.delete(name);
        else input.checked = choose(name);
        update();
      },
    });
    boxes.set(name, input);
    return input;
  }

  function selectAll() {
    for (const [name, input] of boxes) if (input.isConnected) input.checked = chosen.has(name) || choose(name);
    update();
  }

  function clear() {
    chosen.clear();
    boxes.clear();
    update();
  }

  return { element, box, selectAll, clear };
}

function askAndDelete(place, names, words, changed) {
  confirm(t.deleteSelectedTitle(count(names.length)), t.deleteWarning, t.delete, async () => {
    let done = 0;
    try {
      // It goes to its end also if the page is left meanwhile.
      for (const name of names) {
        await deleteObject(place, name);
        done += 1;
        words.textContent = t.deleting(count(done), count(names.length));
      }
      toast(t.wereDeleted(count(done)));
    } catch (error) {
      toast(t.notDeleted(count(done), names[done], error.message), 'error');
    }
    changed();
  });
}
