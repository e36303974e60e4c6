// Questions by keyboard and voice, and answers that are spoken.
import { hasMicrophone } from './microphone.js';
import { listen } from './listener.js';
import { hush, isSpeaking, speak } from './speaker.js';
import { texts } from './texts.js';

const SUBMIT_MILLISECONDS = 100;
const RETRIES_MAX = 30;

const form = document.getElementById('ask');
if (form) start();

function start() {
  const field = document.getElementById('question'), answers = document.getElementById('answers'), status = document.getElementById('status');
  const microphone = document.getElementById('microphone');
  let listener = null, asked = 0;

  form.addEventListener('submit', event => {
    event.preventDefault();
    ask();
  });
  document.querySelectorAll('.example').forEach(link => link.addEventListener('click', event => {
    event.preventDefault();
    field.value = link.textContent;
    ask();
  }));
  answers.addEventListener('click', event => {
    const topic = event.target.closest('.topics a');
    if (topic) {
      event.preventDefault();
      field.value = new URL(topic.href).searchParams.get('question');
      ask();
    }
    const text = event.target.closest('[data-speech]');
    if (text) toggleSpeech(text);
  });
  answers.addEventListener('keydown', event => {
    const text = event.target.closest('[data-speech]');
    if (!text || !['Enter', ' '].includes(event.key)) return;
    event.preventDefault();
    toggleSpeech(text);
  });
  prepareAnswers();
  if (hasMicrophone) {
    microphone.hidden = false;
    microphone.addEventListener('click', toggleMicrophone);
    show('default');
  }

  // ---- Questions

  async function ask() {
    const question = field.value.trim();
    if (!question) return field.focus();
    const number = ++asked;
    stopListening();
    hush();
    answers.setAttribute('aria-busy', 'true');
    status.textContent = texts.asking;
    try {
      const html = await fetchAnswers(question, number);
      if (number !== asked) return undefined;
      answers.innerHTML = html;
      status.textContent = '';
      history.replaceState(null, '', `/conversation?question=${encodeURIComponent(question)}`);
      prepareAnswers();
      const first = answers.querySelector('[data-speech]');
      if (first) toggleSpeech(first);
    } catch (error) {
      if (number === asked) status.textContent = error.message;
    }
    if (number === asked) answers.removeAttribute('aria-busy');
    return undefined;
  }

  /** Returns the answers as HTML; waits while the corpus is indexed. */
  async function fetchAnswers(question, number, retries = RETRIES_MAX) {
    const response = await fetch('/ask', { method: 'POST', body: new URLSearchParams({ questionText: question }) }).catch(() => { throw new Error(texts.unreachable); });
    if (response.status === 503 && retries && number === asked) {
      status.textContent = (await response.json()).reason;
      await new Promise(resolve => { setTimeout(resolve, 1000 * Number(response.headers.get('Retry-After') || 1)); });
      return fetchAnswers(question, number, retries - 1);
    }
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).reason || texts.unreachable);
    return response.text();
  }

  // ---- Speaking

  function prepareAnswers() {
    answers.querySelectorAll('[data-speech]').forEach(text => {
      text.tabIndex = 0;
      text.setAttribute('role', 'button');
      text.title = texts.hear;
    });
  }

  function toggleSpeech(text) {
    if (isSpeaking(text)) return hush();
    stopListening();
    show('speaking');
    return speak(text, (sentence, accept) => `/synthesize?text=${encodeURIComponent(sentence)}&accept=${accept}`, () => show(listener ? 'listening' : 'default'));
  }

  // ---- Listening

  function show(state) {
    const label = { default: texts.listen, listening: texts.stop, speaking: texts.quiet }[state];
    microphone.dataset.state = state;
    microphone.setAttribute('aria-label', label);
    microphone.title = label;
    microphone.style.setProperty('--level', 0);
  }

  function stopListening() {
    listener?.stop();
    listener = null;
  }

  async function toggleMicrophone() {
    if (microphone.dataset.state === 'speaking') return hush();
    if (listener) {
      listener.finish();
      return undefined;
    }
    const mine = listen({
      onState: state => { if (listener === mine) status.textContent = texts[state] ?? ''; },
      onLevel: level => microphone.style.setProperty('--level', Math.min(1, level * 1.5).toFixed(2)),
      onResult: (transcript, isFinal) => {
        if (listener !== mine) return;
        field.value = transcript;
        if (!isFinal) return;
        stopListening();
        show('default');
        setTimeout(ask, SUBMIT_MILLISECONDS);
      },
      onEnd: message => {
        if (listener !== mine) return;
        listener = null;
        show('default');
        status.textContent = message || texts.unheard;
      },
    });
    listener = mine;
    field.value = '';
    show('listening');
    status.textContent = texts.waiting;
    return undefined;
  }
}
