// The list: a line for new items, the filter, and the items, which are sorted by name.
import { act, ask } from './api.js';
import { button, h, icon, iconButton, iconLink, isForField, setText, stateBox, toast, whileBusy } from './elements.js';
import { pullToRefresh } from './pull.js';
import { store } from './state.js';
import { texts } from './texts.js';

const FILTERS = ['all', 'medium', 'high'];
const NAME_MAX = 1000;
const PAGE = 200;

export function showList(host) {
  const state = () => store.state;
  const undo = iconButton('undo', texts.list.undo, () => run(undo, 'undo'));
  const refresh = iconButton('turn', texts.list.refresh, reload);
  const status = h('p', { class: 'status', role: 'status' });
  const filter = filterBar(), items = itemList(filter.showCounts);
  const column = h('div', { class: 'column' }, addForm(), filter.element, status, items.element);
  const content = h('div', { class: 'content', tabindex: '-1' }, column);
  host.classList.add('framed');
  host.append(
    h('header', { class: 'top' }, h('div', { class: 'column' }, h('h1', null, texts.name), undo, refresh, iconLink('person', texts.account.title, '#/account'))),
    pullToRefresh(content, reload), content);
  document.addEventListener('keydown', onKey);

  function reload() {
    if (!state().user) {
      toast(texts.list.noAccount);
      return Promise.resolve();
    }
    return whileBusy(refresh, () => act('refresh').catch(tell));
  }

  /** Undoes a change with Control Z, as in other programs. */
  function onKey(event) {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isForField(event)) return;
    event.preventDefault();
    if (state().canUndo) run(undo, 'undo');
  }

  return {
    title: texts.name,
    update(newState) {
      undo.disabled = !newState.canUndo;
      refresh.hidden = !newState.user;
      setText(status, statusText(newState));
      filter.update(newState);
      items.update(newState);
    },
    leave() {
      document.removeEventListener('keydown', onKey);
      items.stop();
    },
  };
}

function statusText({ user, trouble, isSent }) {
  if (!user || !trouble) return '';
  return texts.list.offline(trouble, isSent);
}

function run(element, action, body) { return whileBusy(element, () => act(action, body).catch(tell)); }

function tell(error) { toast(error.message, { isError: true }); }

// ---- New items

function addForm() {
  const input = h('input', { id: 'new-item', maxlength: NAME_MAX, autocomplete: 'off', placeholder: texts.list.add, dir: 'auto', enterkeyhint: 'done', 'data-first': true });
  const add = h('button', { type: 'submit', class: 'primary small' }, texts.list.addButton);
  return h('form', { class: 'add', onsubmit: submit }, h('label', { for: 'new-item', class: 'hidden-text' }, texts.list.add), input, add);

  async function submit(event) {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) return input.focus();
    // The filter would hide a new item, whose priority is low.
    if (store.state.filter !== 'all') await act('filter', { filter: 'all' });
    await whileBusy(add, () => act('add', { name }).then(() => { input.value = ''; }, tell));
    return input.focus();
  }
}

// ---- The filter

function filterBar() {
  const buttons = FILTERS.map(name => h('button', {
    type: 'button', onclick: () => act('filter', { filter: name }).catch(tell),
  }, h('span', null, texts.list.filters[name]), h('span', { class: 'count' })));
  return {
    element: h('div', { class: 'filters', role: 'group', 'aria-label': texts.list.filter }, buttons),
    update(state) { buttons.forEach((one, index) => one.setAttribute('aria-pressed', String(FILTERS[index] === state.filter))); },
    showCounts(counts) { buttons.forEach((one, index) => setText(one.lastChild, String(counts[FILTERS[index]] ?? ''))); },
  };
}

// ---- The items

function itemList(showCounts) {
  const list = h('ul', { class: 'items' }), foot = h('div', { class: 'foot' });
  let shown = new Map(), limit = PAGE, total = 0, version = -1, isLoading = false, isOver = false;

  const observer = new IntersectionObserver(entries => {
    if (!entries.some(entry => entry.isIntersecting) || shown.size >= total || isLoading) return;
    limit += PAGE;
    load(version);
  });
  observer.observe(foot);

  async function load(newVersion) {
    if (isLoading) return;
    isLoading = true;
    try {
      show(await ask('GET', `/items?limit=${limit}`));
      version = newVersion;
    } catch (error) {
      foot.replaceChildren(h('p', { class: 'note' }, error.message));
    }
    isLoading = false;
    if (!isOver && store.state && store.state.listVersion !== version) load(store.state.listVersion);
  }

  /** Shows items; the elements of known ones remain, so that a text that is being edited is kept. */
  function show(answer) {
    total = answer.total;
    const next = new Map();
    answer.items.forEach(item => {
      const known = shown.get(item.id);
      next.set(item.id, known || itemRow(item));
      next.get(item.id).update(item);
    });
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    shown.forEach((row, id) => { if (!next.has(id)) row.element.remove(); });
    // Rows that remain in their order are not moved: a moved field loses the focus.
    answer.items.forEach((item, index) => {
      const { element } = next.get(item.id);
      if (list.children[index] !== element) list.insertBefore(element, list.children[index] || null);
    });
    if (focused && !list.contains(document.activeElement)) (focused.isConnected ? focused : document.getElementById('new-item'))?.focus({ preventScroll: true });
    shown = next;
    showCounts(answer.counts);
    foot.replaceChildren(...(total ? [] : [emptyBox(answer.counts.all)]));
  }

  return {
    element: h('div', null, list, foot),
    update(state) { if (state.listVersion !== version) load(state.listVersion); },
    stop() {
      isOver = true;
      observer.disconnect();
    },
  };
}

function emptyBox(count) {
  return count ? stateBox('check', texts.list.noneTitle, texts.list.none) : stateBox('check', texts.list.emptyTitle, texts.list.empty);
}

/** An item: whether it is done, its text, which a tap edits, its priority, which a tap changes, and a button that deletes it. */
function itemRow(first) {
  let item = first, input = null;
  const done = h('button', { type: 'button', class: 'done', onclick: () => act('done', { id: item.id, isDone: !item.isDone }).catch(tell) }, h('span', { 'aria-hidden': 'true' }, icon('check')));
  const mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
  const priority = h('button', { type: 'button', class: 'priority', onclick: () => act('tap', { id: item.id }).catch(tell) }, mark);
  const name = button('', edit, { class: 'name', dir: 'auto', title: texts.list.edit });
  const remove = h('button', { type: 'button', class: 'round plain', onclick: erase }, icon('trash'));
  const element = h('li', { 'data-id': item.id }, done, name, priority, remove);

  async function erase() {
    try {
      await act('delete', { id: item.id });
      toast(texts.list.deleted(item.name), { action: { label: texts.list.undoShort, run: () => act('undo').catch(tell) } });
    } catch (error) {
      tell(error);
    }
  }

  function edit() {
    input = h('input', { class: 'edit', value: item.name, maxlength: NAME_MAX, dir: 'auto', 'aria-label': texts.list.nameOf(item.name), enterkeyhint: 'done', onkeydown: onKey, onblur: () => finish(true) });
    name.replaceWith(input);
    input.focus();
    input.select();
  }

  function onKey(event) {
    if (event.isComposing || !['Enter', 'Escape'].includes(event.key)) return;
    // Otherwise the key would also press the button that gets the focus.
    event.preventDefault();
    finish(event.key === 'Enter', true);
  }

  async function finish(isKept, isByKey = false) {
    if (!input) return;
    const text = input.value.trim(), field = input;
    input = null;
    field.replaceWith(name);
    if (isByKey) name.focus();
    if (!isKept || !text || text === item.name) return;
    setText(name, text);
    await act('rename', { id: item.id, name: text }).catch(error => {
      setText(name, item.name);
      tell(error);
    });
  }

  return {
    element,
    update(newItem) {
      item = newItem;
      setText(name, item.name);
      element.dataset.priority = item.priority;
      done.setAttribute('aria-pressed', String(item.isDone));
      done.setAttribute('aria-label', texts.list.doneOf(item.name));
      done.title = texts.list.done(item.isDone);
      setText(mark, '!'.repeat(item.priority));
      const label = texts.list.priorityOf(item.name, item.priority);
      priority.setAttribute('aria-label', label);
      priority.title = label;
      remove.setAttribute('aria-label', texts.list.deleteOf(item.name));
    },
  };
}
