// Recognition of the microphone by the device's process, piece by piece.
import { RequestError } from './api.js';
import { record } from './microphone.js';
import { texts } from './texts.js';

/** Begins to listen. `onEnd` is called once, with a message if it failed; not after `stop()`. */
export function listen({ onLevel, onResult, onEnd }) {
  const recording = crypto.randomUUID();
  let stopRecording = null, isOver = false, sending = Promise.resolve();

  function stop() {
    isOver = true;
    stopRecording?.();
  }

  function end(message) {
    if (isOver) return;
    stop();
    onEnd(message);
  }

  /** Sends a piece after the ones before it. */
  function send(samples, isLast = false) {
    sending = sending.then(async () => {
      if (isOver) return;
      const response = await fetch(`/sound?recording=${recording}${isLast ? '&end=1' : ''}`, { method: 'POST', body: samples });
      const answer = await response.json();
      if (!response.ok) throw new RequestError(response.status, answer.reason);
      answer.results.forEach(result => { if (!isOver) onResult(result.transcript, result.isFinal); });
      if (isLast) end('');
    }).catch(error => end(error.message));
  }

  record('/page/recorder-worklet.js', (samples, level) => {
    if (isOver) return;
    onLevel(level);
    send(samples);
  }).then(stopNow => {
    if (isOver) stopNow();
    else stopRecording = stopNow;
  }, () => end(texts.ask.noMicrophone));

  return {
    stop,
    /** Ends the recording; the last result comes then. */
    finish() {
      stopRecording?.();
      stopRecording = null;
      send(new Int16Array(0), true);
    },
  };
}
