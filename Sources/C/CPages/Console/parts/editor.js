// Editors of JSON and of JavaScript: CodeMirror if the server has it, otherwise a plain field. That of JSON says where a mistake is while the user types.
import { h } from '../view.js';
import { texts } from '../texts.js';
import { parse } from './json.js';

const LIBRARY = '/_utils/lib/codemirror/';
const PLACES = ['lib/', ''];
const CHECK_MILLISECONDS = 200;
const t = texts.editor;

let library = null;

/** Loads CodeMirror once; `null` without it. */
function codeMirror() {
  library ||= (async () => {
    try {
      const place = await firstOf(PLACES, async place => { await script(`${LIBRARY}${place}codemirror.js`); return place; });
      await Promise.all([sheet(`${LIBRARY}${place}codemirror.css`), script(`${LIBRARY}mode/javascript/javascript.js`)]);
      return window.CodeMirror || null;
    } catch {
      return null;
    }
  })();
  return library;
}

async function firstOf(items, attempt) {
  for (const [i, item] of items.entries()) {
    try { return await attempt(item); } catch (error) { if (i === items.length - 1) throw error; }
  }
}

const script = address => loaded(h('script', { src: address }));
const sheet = address => loaded(h('link', { rel: 'stylesheet', href: address }));

function loaded(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', () => { element.remove(); reject(new Error(element.src || element.href)); });
    // The console's own sheet is the last, so that its colours count.
    if (element.tagName === 'LINK') document.head.prepend(element);
    else document.head.append(element);
  });
}

/**
 * Creates an editor.
 *
 * @param options `label` names it; `text` is its content; `isReadOnly`; `onChange(text)` is called after each change, and
 *   `onCheck(node, mistake)` when the text was read: one of them is `null`.
 * @returns `{ element, text(), setText(text), check(), focus() }`. `check()` returns the node, or throws the mistake.
 */
export async function editor(options) {
  const CodeMirror = await codeMirror();
  const status = h('p', { class: 'editor-status', role: 'status' });
  const box = h('div', { class: 'editor-box' });
  const element = h('div', { class: 'editor' }, box, !options.isReadOnly && status);
  const field = CodeMirror ? richField(CodeMirror, box, options) : plainField(box, options);
  let timer = 0;

  const check = () => {
    clearTimeout(timer);
    field.unmark();
    try {
      const node = parse(field.text());
      if (node.kind !== 'object') throw Object.assign(new Error(t.noObject), { line: 1, column: 1 });
      say(t.right, false);
      options.onCheck?.(node, null);
      return node;
    } catch (error) {
      say(error.message, true, error);
      field.mark(error);
      options.onCheck?.(null, error);
      throw error;
    }
  };
  const say = (words, isMistake, place) => {
    if (!isMistake && status.textContent === words) return;
    status.className = `editor-status ${isMistake ? 'editor-mistake' : 'good'}`;
    status.replaceChildren(isMistake ? h('button', { type: 'button', class: 'link', onclick: () => field.goTo(place) }, words) : words);
  };
  field.listen(() => {
    options.onChange?.(field.text());
    clearTimeout(timer);
    timer = setTimeout(() => { try { check(); } catch { /* the status says it */ } }, CHECK_MILLISECONDS);
  });
  if (!options.isReadOnly) try { check(); } catch { /* the status says it */ }
  return { element, check, text: field.text, setText: field.setText, focus: field.focus };
}

/**
 * Creates an editor of JavaScript.
 *
 * @param options `label` names it; `text` is its content; `isReadOnly`; `onChange(text)` is called after each change.
 * @returns `{ element, text(), setText(text), focus(), say(words, line) }`: `say` shows a mistake and, if it is known, its line,
 *   until the text changes; without words it removes what is shown.
 */
export async function codeEditor(options) {
  const CodeMirror = await codeMirror(), own = { ...options, mode: 'javascript' };
  const status = h('div', { class: 'editor-status editor-mistake', role: 'alert' }), box = h('div', { class: 'editor-box editor-code' });
  const field = CodeMirror ? richField(CodeMirror, box, own) : plainField(box, own);
  const say = (words, line) => {
    field.unmark();
    const isKnown = line >= 1 && line <= field.text().split('\n').length;
    if (words && isKnown) field.mark({ line });
    status.replaceChildren(...(!words ? [] : [isKnown ? h('button', { type: 'button', class: 'link', onclick: () => field.goTo({ line, column: 1 }) }, words) : words]));
  };
  field.listen(() => {
    say('');
    options.onChange?.(field.text());
  });
  return { element: h('div', { class: 'editor' }, box, status), text: field.text, setText: field.setText, focus: field.focus, say };
}

function richField(CodeMirror, box, options) {
  const mirror = CodeMirror(box, {
    value: options.text, mode: options.mode || { name: 'javascript', json: true }, lineNumbers: true, lineWrapping: true, readOnly: Boolean(options.isReadOnly), tabSize: 2, indentUnit: 2,
    // Tab goes to the next control; the keys for indenting are Ctrl-] and Ctrl-[.
    extraKeys: { Tab: false, 'Shift-Tab': false }, screenReaderLabel: options.label, viewportMargin: 40, inputStyle: 'contenteditable', rtlMoveVisually: true,
  });
  const input = mirror.getInputField();
  input.setAttribute('aria-label', options.label);
  input.setAttribute('aria-multiline', 'true');
  // The editor has its size when it is in the page.
  new ResizeObserver(() => mirror.refresh()).observe(box);
  let marked = null;
  return {
    text: () => mirror.getValue(),
    setText: text => mirror.setValue(text),
    listen: change => mirror.on('change', change),
    focus: () => mirror.focus(),
    unmark: () => { if (marked !== null) mirror.removeLineClass(marked, 'background', 'editor-wrong'); marked = null; },
    mark: place => { marked = mirror.addLineClass(place.line - 1, 'background', 'editor-wrong'); },
    goTo: place => { mirror.focus(); mirror.setCursor(place.line - 1, place.column - 1); },
  };
}

function plainField(box, options) {
  const area = h('textarea', { 'aria-label': options.label, spellcheck: 'false', rows: options.mode ? 10 : 20, readonly: options.isReadOnly, value: options.text });
  box.append(area);
  const place = ({ line, column }) => area.value.split('\n').slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  return {
    text: () => area.value,
    setText: text => { area.value = text; area.dispatchEvent(new Event('input')); },
    listen: change => area.addEventListener('input', change),
    focus: () => area.focus(),
    unmark: () => area.removeAttribute('aria-invalid'),
    mark: () => area.setAttribute('aria-invalid', 'true'),
    goTo: at => { area.focus(); area.setSelectionRange(place(at), place(at)); },
  };
}
