// A container: its figures, public reading, and the objects of a folder.
import { send } from '../api.js';
import { bytes, button, count, h, load } from '../view.js';
import { texts } from '../texts.js';
import { objectTable } from './objects-list.js';
import { DELIMITER, PAGE, listAddress, pageAddress, storagePath } from './objects-paths.js';
import { isPublic, publicRequest, publicSwitch } from './objects-public.js';
import { curlPart } from './objects-same.js';
import { selection } from './objects-selection.js';
import { uploader } from './objects-upload.js';
import { block } from './same.js';

const TYPING_MILLISECONDS = 250;
const t = texts.objects;

/**
 * Shows a container in `host`.
 *
 * @param place `{ account, container, folder }`; the folder is the beginning of names, and is empty or ends with a slash.
 */
export async function showContainer(host, place, signal) {
  const figures = h('dl', { class: 'figures' }), list = h('div'), same = h('div'), content = h('div', { class: 'stack' });
  const state = { ...place, isPublic: false, signal };
  const search = h('input', { type: 'search', 'data-search': true, placeholder: t.search, 'aria-label': t.search, autocomplete: 'off', spellcheck: 'false' });
  const prefix = () => place.folder + search.value;
  const draw = () => {
    chosen.clear();
    same.replaceChildren(curlPart(requests(state, prefix())));
    return load(list, () => objectTable(state, prefix(), chosen, changed), element => element, signal);
  };
  const read = () => send('GET', listAddress(place, { limit: 1 }), undefined, { signal });
  const changed = async () => {
    if (signal.aborted) return;
    const drawn = draw();
    try { figuresOf(figures, await read()); } catch { /* the list shows the error */ }
    await drawn;
  };
  const chosen = selection(state, changed);
  host.replaceChildren(crumbs(place), h('h1', null, h('bdi', null, [place.container, place.folder].filter(Boolean).join(DELIMITER))), content);
  await load(content, read, async response => {
    figuresOf(figures, response);
    await draw();
    return [figures, publicPart(state, response), uploader(state, changed),
      h('div', { class: 'list-controls' }, h('div', { class: 'objects-search' }, search), button(t.selectAll, chosen.selectAll)), chosen.element, list, same];
  }, signal);
  let typing = 0;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(draw, TYPING_MILLISECONDS);
  });
}

function crumbs({ account, container, folder }) {
  const names = folder.split(DELIMITER).slice(0, -1);
  const steps = [[t.title, pageAddress()], [account, pageAddress(account)], [container, pageAddress(account, container)],
    ...names.map((name, i) => [name || DELIMITER, pageAddress(account, container, names.slice(0, i + 1).join(DELIMITER) + DELIMITER)])];
  return h('nav', { class: 'crumbs', 'aria-label': t.folders }, steps.map(([name, address], i) =>
    [i > 0 && ' / ', i < steps.length - 1 ? h('a', { href: address }, h('bdi', null, name)) : h('bdi', { 'aria-current': 'page' }, name)]));
}

function figuresOf(host, response) {
  const number = name => Number(response.headers.get(name) || 0);
  host.replaceChildren(...[[t.objects, count(number('X-Container-Object-Count'))], [t.size, bytes(number('X-Container-Bytes-Used'))]].map(
    ([title, value]) => h('div', null, h('dt', null, title), h('dd', null, value))));
}

/** The switch for public reading, with the address while it is on. */
function publicPart(state, response) {
  const words = h('div', { class: 'stack' });
  const show = isOn => {
    state.isPublic = isOn;
    words.replaceChildren(...(isOn ? [h('p', { class: 'note' }, t.everyoneReadsNote), block(t.url, location.origin + storagePath(state.account, state.container))] : []));
  };
  const reading = publicSwitch(state.account, state.container, show);
  reading.show(isPublic(response));
  show(isPublic(response));
  return h('div', { class: 'stack' }, h('label', { class: 'check' }, reading.input, t.everyoneReads), words);
}

function requests(place, prefix) {
  const container = storagePath(place.account, place.container), object = storagePath(place.account, place.container, `${place.folder}NAME`);
  return [
    { address: listAddress(place, { delimiter: DELIMITER, prefix: prefix || undefined, limit: PAGE }) }, publicRequest(container),
    { method: 'PUT', address: object, file: 'FILE' }, { address: object, output: 'FILE' }, { method: 'DELETE', address: object },
  ];
}
