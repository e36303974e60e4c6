// The account of the device's user, and the topics that the device has.
import { act, ask } from './api.js';
import { button, dialog, h, iconButton, iconLink, setText, toast, whileBusy } from './elements.js';
import { texts } from './texts.js';

export function showSettings(host, parts, first) {
  let state = first;
  const who = h('p', { class: 'row-text', dir: 'auto' }), sync = h('p', { class: 'note', role: 'status' }), count = h('p', { class: 'note', role: 'status' });
  const signIn = button(texts.settings.signIn, () => whileBusy(signIn, () => act('welcome').catch(tell)), { class: 'primary small' });
  const signOut = button(texts.settings.signOut, leave, { class: 'secondary small' });
  host.classList.add('framed');
  host.append(
    h('header', { class: 'top' }, h('div', { class: 'column' }, iconLink('back', texts.back, '#/'), h('h1', null, texts.settings.title))),
    h('div', { class: 'content', tabindex: '-1' }, h('div', { class: 'column' },
      h('section', { class: 'panel' }, h('h2', null, texts.settings.account), who, sync, h('div', { class: 'panel-actions' }, signIn, signOut)),
      h('section', { class: 'panel' }, h('h2', null, texts.settings.topics), h('p', { class: 'note' }, texts.settings.topicsNote), count, topicChoice(first.selection)))));

  async function leave() {
    const isMeant = await dialog({
      title: `${texts.settings.signOut}?`, text: texts.settings.signOutText(state.isSent), isAlert: true,
      buttons: [{ label: texts.cancel, value: false }, { label: texts.settings.signOut, value: true, kind: 'danger' }],
    });
    if (isMeant) await whileBusy(signOut, () => act('signOut').then(() => { location.hash = '#/'; }, tell));
  }

  return {
    title: texts.settings.title,
    update(newState) {
      state = newState;
      setText(who, state.user ? texts.settings.signedIn(state.user, state.server) : texts.settings.signedOut);
      setText(sync, state.trouble || (!state.user ? '' : state.isSent ? texts.settings.sent : texts.settings.pending));
      setText(count, texts.settings.count(state.corpusCount));
      signIn.hidden = Boolean(state.user);
      signOut.hidden = !state.user;
    },
  };
}

function tell(error) { toast(error.message, { isError: true }); }

/** The sources as check boxes, and topics by their names. */
function topicChoice(selection) {
  const sources = h('div', { class: 'sources', role: 'group', 'aria-label': texts.settings.sources }), chips = h('ul', { class: 'chips' });
  const suggestions = h('datalist', { id: 'topics' }), input = h('input', { id: 'topic', list: 'topics', autocomplete: 'off', dir: 'auto', oninput: suggest });
  const add = h('button', { type: 'submit', class: 'secondary small' }, texts.settings.add);
  const save = button(texts.settings.save, use, { class: 'primary small' });
  let topics = [...selection.topics];
  showTopics();
  loadSources();

  async function loadSources() {
    try {
      const found = await ask('GET', '/topics');
      sources.replaceChildren(...[...new Set([...found.sources, ...selection.sources])].map(name =>
        h('label', { class: 'source' }, h('input', { type: 'checkbox', value: name, checked: selection.sources.includes(name) }), h('span', null, name))));
    } catch (error) {
      sources.replaceChildren(h('p', { class: 'note' }, error.message));
    }
  }

  async function suggest() {
    if (input.value.trim().length < 2) return;
    const found = await ask('GET', `/topics?prefix=${encodeURIComponent(input.value.trim())}`).catch(() => ({ topics: [] }));
    suggestions.replaceChildren(...found.topics.map(topic => h('option', { value: topic })));
  }

  async function addTopic(event) {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    const found = await ask('GET', `/topics?prefix=${encodeURIComponent(text)}`).catch(error => { tell(error); });
    const topic = found?.topics.find(name => name.toLowerCase() === text.toLowerCase());
    if (!found) return;
    if (!topic) return tell({ message: texts.settings.unknown(text) });
    if (!topics.includes(topic)) topics.push(topic);
    input.value = '';
    showTopics();
  }

  function showTopics() {
    chips.replaceChildren(...topics.map(topic => h('li', null, h('span', null, topic),
      iconButton('close', texts.settings.removeTopic(topic), () => { topics = topics.filter(one => one !== topic); showTopics(); }, { class: 'round plain' }))));
  }

  function use() {
    const chosen = [...sources.querySelectorAll('input:checked')].map(box => box.value);
    return whileBusy(save, () => act('select', { sources: chosen, topics }).then(() => toast(texts.settings.saved), tell));
  }

  return h('div', { class: 'choice' }, sources, chips,
    h('form', { class: 'topic-form field', onsubmit: addTopic }, h('label', { for: 'topic' }, texts.settings.topic), h('div', { class: 'topic-line' }, input, suggestions, add)),
    h('div', { class: 'panel-actions' }, save));
}
