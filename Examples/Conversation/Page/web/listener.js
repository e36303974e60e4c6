// Live recognition of the microphone over a WebSocket.
import { RATE, record } from './microphone.js';
import { texts } from './texts.js';

/** Begins to listen. `onEnd` is called once, with a message if it failed; not after `stop()`. */
export function listen({ onState, onLevel, onResult, onEnd }) {
  let stopRecording = null, isOver = false;
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/speech/socket?rate=${RATE}`);

  function stop() {
    isOver = true;
    stopRecording?.();
    socket.close();
  }

  function end(message) {
    if (isOver) return;
    stop();
    onEnd(message);
  }

  socket.onmessage = ({ data }) => {
    if (isOver) return;
    const { event, data: content } = JSON.parse(data);
    if (event === 'session') start();
    else if (event === 'state') onState(content);
    else if (event === 'onerror') end(content.error);
    else if (event === 'message') content.results.forEach(result => { if (!isOver) onResult(result.alternatives[0].transcript, result.final); });
  };
  socket.onclose = () => end('');
  socket.onerror = () => end(texts.unreachable);

  async function start() {
    try {
      const stopNow = await record('/conversation/files/recorder-worklet.js', (samples, level) => {
        onLevel(level);
        if (socket.readyState === WebSocket.OPEN) socket.send(samples.buffer);
      });
      if (isOver) stopNow();
      else stopRecording = stopNow;
    } catch {
      end(texts.noMicrophone);
    }
  }

  return {
    stop,
    /** Ends the recording; the last result comes then. */
    finish() {
      stopRecording?.();
      stopRecording = null;
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ event: 'message', data: { disconnect: true } }));
      else end('');
    },
  };
}
