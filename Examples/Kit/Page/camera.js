// The camera: its stream runs only while the screen is visible, and is stopped otherwise.
import { texts } from './texts.js';

const QUALITY = 0.92;
const SIZE = { width: { ideal: 2560 }, height: { ideal: 1920 } };

/** The state for an error of `getUserMedia`. */
function stateOf(error) {
  if (['NotFoundError', 'DevicesNotFoundError', 'OverconstrainedError'].includes(error.name)) return 'absent';
  return ['NotAllowedError', 'SecurityError'].includes(error.name) ? 'denied' : 'busy';
}

/**
 * Starts the camera in `video`. `tell(state)` is called with `starting`, `on`, `absent`, `denied`, `busy`, `ended` or
 * `hidden`.
 */
export function startCamera(video, tell) {
  let stream = null, cameras = 0, facing = 'environment', run = 0, isOver = false;

  function release() {
    run += 1;
    stream?.getTracks().forEach(track => { track.onended = null; track.stop(); });
    stream = null;
    video.srcObject = null;
  }

  async function start() {
    release();
    const own = run;
    tell('starting');
    if (!navigator.mediaDevices?.getUserMedia) return tell('absent');
    let opened;
    try {
      opened = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: facing, ...SIZE } });
    } catch (error) {
      return own === run && tell(stateOf(error));
    }
    if (own !== run || isOver) return opened.getTracks().forEach(track => track.stop());
    stream = opened;
    stream.getTracks().forEach(track => { track.onended = () => { release(); tell('ended'); }; });
    video.srcObject = stream;
    await count();
    try { await video.play(); } catch { /* `autoplay` plays it */ }
    if (own === run) tell('on');
    return undefined;
  }

  async function count() {
    try {
      const devices = await navigator.mediaDevices.enumerateDevices();
      cameras = devices.filter(device => device.kind === 'videoinput').length;
    } catch { cameras = 1; }
  }

  function onVisibility() {
    if (document.hidden) {
      release();
      tell('hidden');
    } else start();
  }

  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('pagehide', release);
  // The caller has the camera before it gets the first state.
  queueMicrotask(() => { if (!isOver) start(); });

  return {
    start,
    canTurn: () => cameras > 1,
    isFront: () => stream?.getVideoTracks()[0]?.getSettings().facingMode === 'user',
    turn() {
      facing = facing === 'environment' ? 'user' : 'environment';
      return start();
    },
    /** The current picture as JPEG. */
    picture() {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
      if (!canvas.width || !canvas.height) return Promise.reject(new Error(texts.camera.noPicture));
      canvas.getContext('2d').drawImage(video, 0, 0);
      return new Promise((resolve, reject) => canvas.toBlob(blob => {
        canvas.width = canvas.height = 0;
        if (blob) resolve(blob);
        else reject(new Error(texts.camera.noPicture));
      }, 'image/jpeg', QUALITY));
    },
    stop() {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisibility);
      removeEventListener('pagehide', release);
      release();
    },
  };
}
