// The microphone as pieces of 16-bit samples with the rate 16 000.

/** The rate of the samples. */
export const RATE = 16000;

/** Whether this browser has a microphone for pages. Browsers offer it to secure pages and to this machine only. */
export const hasMicrophone = Boolean(navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode);

/** Starts recording. `onPiece` gets samples, as Int16Array, and the level from 0 to 1. Returns a function that stops. */
export async function record(worklet, onPiece) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
  const context = new AudioContext();
  const stop = () => {
    stream.getTracks().forEach(track => track.stop());
    return context.close();
  };
  try {
    await context.audioWorklet.addModule(worklet);
    const source = context.createMediaStreamSource(stream), recorder = new AudioWorkletNode(context, 'recorder', { numberOfOutputs: 1 });
    recorder.port.onmessage = ({ data }) => onPiece(data.samples, data.level);
    // A node without a connection to the output does not run in every browser; the recorder outputs silence.
    source.connect(recorder).connect(context.destination);
    await context.resume();
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
