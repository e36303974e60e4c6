// Questions by keyboard and voice, their answers, and the history.
import { act, ask } from './api.js';
import { button, h, iconButton, iconLink, setText, toast } from './elements.js';
import { listen } from './listener.js';
import { hasMicrophone } from './microphone.js';
import { hush, isSpeaking, speak } from './speaker.js';
import { store } from './state.js';
import { texts } from './texts.js';

const SUBMIT_MILLISECONDS = 100;
const PAGE = 30;
const QUESTION_MAX = 500;

export function showQuestions(host) {
  const status = h('p', { class: 'status', role: 'status' }), heard = h('p', { class: 'heard', role: 'status' });
  const answers = answerList(), history = historyList(question => answers.show(question, false));
  const form = questionForm({
    heard,
    onAsked: question => {
      answers.show(question, true);
      history.reload();
    },
    onQuiet: hush,
  });
  const content = h('div', { class: 'content', tabindex: '-1' }, h('div', { class: 'column' },
    h('h2', { class: 'greeting' }, texts.ask.title), form.element, status, heard, answers.element, history.element,
    h('p', { class: 'note disclaimer' }, texts.ask.disclaimer)));
  host.classList.add('framed');
  host.append(h('header', { class: 'top' }, h('div', { class: 'column' }, h('h1', null, texts.name), iconLink('settings', texts.settings.open, '#/settings'))), content);

  return {
    title: texts.name,
    update(state) {
      setText(status, statusText(state));
      history.update(state);
    },
    leave() {
      hush();
      form.leave();
    },
  };

  /** The answers to one question; the first one is spoken after it was asked. */
  function answerList() {
    const element = h('section', { class: 'results', 'aria-live': 'polite' });

    function toggle(text) {
      if (isSpeaking(text)) return hush();
      form.showSpeaking();
      return speak(text, (sentence, accept) => `/speech?text=${encodeURIComponent(sentence)}&format=${accept === 'audio/ogg' ? 'ogg' : 'wav'}`, () => form.showIdle());
    }

    function item(answer) {
      const text = button(answer.text, () => toggle(text), { class: 'evidence', title: texts.ask.hear });
      const isLink = /^https?:\/\//.test(answer.url), source = texts.ask.source(answer.source);
      return h('li', { class: 'answer panel' },
        h('h3', null, answer.question), text,
        h('p', { class: 'answer-foot' }, h('span', null, texts.ask.confidence(Math.round(answer.confidence * 100))),
          isLink ? h('a', { href: answer.url, target: '_blank', rel: 'noopener noreferrer' }, source) : h('span', null, source)));
    }

    /** The topics that are nearest to a question without an answer: a press asks about one. */
    function nearest(topics) {
      return topics.length > 0 && [h('p', null, texts.ask.nearest), h('ul', null, topics.map(topic => h('li', null, button(topic, () => form.ask(texts.ask.about(topic))))))];
    }

    return {
      element,
      show(question, isSpoken) {
        hush();
        element.replaceChildren(
          h('h2', { class: 'asked', dir: 'auto' }, question.question),
          question.answers.length ? h('ol', { class: 'answers' }, question.answers.map(item)) : h('div', { class: 'panel nearest' }, h('p', null, texts.ask.none), nearest(question.topics || [])));
        content.scrollTo({ top: 0 });
        const first = element.querySelector('.evidence');
        if (first && isSpoken) toggle(first);
      },
    };
  }
}

function statusText({ trouble, corpusCount, isCorpusReady, isCorpusComplete }) {
  if (!corpusCount || (!isCorpusComplete && !trouble)) return texts.ask.waiting(corpusCount);
  if (!isCorpusReady) return texts.ask.indexing(corpusCount);
  return trouble ? texts.ask.offline(trouble) : '';
}

function tell(error) { toast(error.message, { isError: true }); }

// ---- The form

function questionForm({ heard, onAsked, onQuiet }) {
  const input = h('input', { id: 'question', maxlength: QUESTION_MAX, autocomplete: 'off', placeholder: texts.ask.placeholder, dir: 'auto', enterkeyhint: 'search', 'data-first': true });
  const microphone = h('button', { type: 'button', class: 'microphone', onclick: toggle, hidden: !hasMicrophone });
  const submit = h('button', { type: 'submit', class: 'primary' }, texts.ask.ask);
  const element = h('form', { class: 'ask-form', onsubmit: event => { event.preventDefault(); send(false); } },
    h('label', { for: 'question', class: 'hidden-text' }, texts.ask.question), input, microphone, submit);
  let listener = null;
  show('default');

  async function send(isSpoken) {
    const question = input.value.trim();
    if (!question) return input.focus();
    end();
    try {
      const answer = await act('ask', { question, isSpoken });
      onAsked(answer.question);
    } catch (error) {
      tell(error);
    }
    return undefined;
  }

  function show(state) {
    const label = { default: texts.ask.listen, listening: texts.ask.stop, speaking: texts.ask.quiet }[state];
    microphone.dataset.state = state;
    microphone.setAttribute('aria-label', label);
    microphone.title = label;
    microphone.style.setProperty('--level', 0);
  }

  function end() {
    listener?.stop();
    listener = null;
    show('default');
    setText(heard, '');
  }

  function toggle() {
    if (microphone.dataset.state === 'speaking') return onQuiet();
    if (listener) return listener.finish();
    const mine = listen({
      onLevel: level => microphone.style.setProperty('--level', Math.min(1, level * 1.5).toFixed(2)),
      onResult: (transcript, isFinal) => {
        if (listener !== mine) return;
        input.value = transcript;
        if (!isFinal) return;
        end();
        setTimeout(() => send(true), SUBMIT_MILLISECONDS);
      },
      onEnd: message => {
        if (listener !== mine) return;
        end();
        setText(heard, message || texts.ask.unheard);
      },
    });
    listener = mine;
    input.value = '';
    show('listening');
    setText(heard, texts.ask.listening);
    return undefined;
  }

  return {
    element,
    /** Asks a question as if it were typed. */
    ask(question) {
      input.value = question;
      send(false);
    },
    showSpeaking() {
      end();
      show('speaking');
    },
    showIdle() { if (microphone.dataset.state === 'speaking') show('default'); },
    leave: end,
  };
}

// ---- The history

function historyList(onChosen) {
  const list = h('ul', { class: 'items' }), more = button(texts.history.more, () => { limit += PAGE; load(); }, { class: 'quiet wide' });
  const empty = h('p', { class: 'note' }, texts.history.empty);
  const element = h('section', { class: 'history' }, h('h2', null, texts.history.title), empty, list, more);
  let limit = PAGE, version = -1;

  async function load() {
    try {
      const { questions } = await ask('GET', `/history?limit=${limit}`);
      list.replaceChildren(...questions.map(row));
      empty.hidden = questions.length > 0;
      more.hidden = questions.length < limit;
    } catch (error) {
      tell(error);
    }
  }

  function row(question) {
    const time = new Date(question.askedAt).toLocaleString();
    return h('li', { 'data-id': question.id },
      h('button', { type: 'button', class: 'name', 'aria-label': texts.history.again(question.question), onclick: () => onChosen(question) },
        h('span', { dir: 'auto' }, question.question), h('span', { class: 'note' }, question.isSpoken ? `${time}, ${texts.history.spoken}` : time)),
      iconButton('trash', texts.history.remove(question.question), () => act('remove', { id: question.id }).then(() => toast(texts.history.removed), tell), { class: 'round plain' }));
  }

  return {
    element,
    reload: load,
    update(state) {
      if (state.historyVersion === version) return;
      version = state.historyVersion;
      if (store.state.stage === 'ready') load();
    },
  };
}
