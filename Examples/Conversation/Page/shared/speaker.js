// Speaks texts sentence by sentence.

let current = null;

/** Ends the text that is spoken. */
export function hush() {
  current?.stop();
  current = null;
}

/** Whether an element is spoken. */
export function isSpeaking(element) { return current?.element === element; }

/** Speaks the text of an element; its sentences become elements, and the spoken one has a class. `address` returns the address of a spoken text.
 * Calls `onEnd` once, also when it was ended or failed. */
export function speak(element, address, onEnd = () => {}) {
  hush();
  const parts = sentences(element), audio = new Audio();
  let index = -1, isOver = false;
  const run = { element, stop: end };
  current = run;

  function end() {
    if (isOver) return;
    isOver = true;
    audio.pause();
    audio.removeAttribute('src');
    parts.forEach(part => part.classList.remove('is-spoken'));
    element.classList.remove('is-speaking');
    if (current === run) current = null;
    onEnd();
  }

  function next() {
    parts[index]?.classList.remove('is-spoken');
    index += 1;
    if (isOver || index >= parts.length) return end();
    parts[index].classList.add('is-spoken');
    audio.src = address(parts[index].textContent.trim(), audio.canPlayType('audio/ogg; codecs=opus') ? 'audio/ogg' : 'audio/wav');
    // A browser may refuse sound before the user has touched the page.
    return audio.play().catch(end);
  }

  element.classList.add('is-speaking');
  audio.onended = next;
  audio.onerror = end;
  next();
}

/** Divides the text of an element into elements, one for each sentence. */
function sentences(element) {
  const known = [...element.querySelectorAll('.sentence')];
  if (known.length) return known;
  const text = element.textContent;
  const parts = (typeof Intl.Segmenter === 'function' ? [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map(part => part.segment) : text.split(/(?<=[.!?])\s+/))
    .filter(part => part.trim());
  const spans = parts.map(part => {
    const span = document.createElement('span');
    span.className = 'sentence';
    span.textContent = part;
    return span;
  });
  element.replaceChildren(...spans);
  return spans;
}
