// Parallax: the background and the content move against each other when the device is tilted.
//
//   import { startParallax } from './parallax.js';
//   const parallax = startParallax({ background, content, ratio: 4 / 3 });
//   parallax.stop();
//
// `window.suspendAnimation = true` stops the movement, and so does the user's wish for reduced motion. The page's style
// sets `background-image`; this module sets position and size of the background.

/** The movement of the background to each side, in pixels. The content moves half of it in the opposite direction. */
const MOVEMENT = { x: 15, y: 30 };
/** The height of the background, as a part of the element's. */
const HEIGHT = 1.2;

/** A tilt beyond the vertical turns back: the device is upside-down. */
function upright(part) { return part >= 1 ? 2 - part : part <= -1 ? -2 - part : part; }

function orientation() {
  if (typeof window.orientation === 'number') return window.orientation;
  const angle = screen.orientation ? screen.orientation.angle : 0;
  return angle === 270 ? -90 : angle;
}

/** The tilt of an event `deviceorientation`, from -1 to 1 in both directions of the screen. */
export function tiltOf(event, turned = orientation()) {
  const gamma = upright((event.gamma || 0) / 90), beta = (event.beta || 0) / 180;
  if (turned === 90) return { x: beta, y: gamma };
  if (turned === -90) return { x: beta, y: -gamma };
  return { x: gamma, y: beta };
}

/** Whether the browser tells the orientation only after the user allowed it: then call `askForMotion` in a click. */
export const needsPermission = () => typeof window.DeviceOrientationEvent?.requestPermission === 'function';

export async function askForMotion() {
  return !needsPermission() || await window.DeviceOrientationEvent.requestPermission() === 'granted';
}

const pixels = number => `${(Math.abs(number) < 0.05 ? 0 : number).toFixed(1)}px`;

/**
 * Moves `background` (its background image) and `content`, which may be `null`. `ratio` is the width of the picture divided
 * by its height: a picture that is too narrow at 120 % of the height becomes as wide as the element and its movement.
 */
export function startParallax({ background, content = null, ratio = 0 }) {
  const reduced = matchMedia('(prefers-reduced-motion: reduce)');
  const written = new Map();
  let frame = 0, tilt = { x: 0, y: 0 };

  /** Writes a style only if it changed. */
  function write(element, property, value) {
    const key = element === background ? property : `content ${property}`;
    if (written.get(key) === value) return;
    written.set(key, value);
    element.style[property] = value;
  }

  function fit() {
    const isNarrow = ratio > 0 && background.clientHeight * HEIGHT * ratio < background.clientWidth + 2 * MOVEMENT.x;
    write(background, 'backgroundSize', isNarrow ? `calc(100% + ${2 * MOVEMENT.x}px) auto` : `auto ${HEIGHT * 100}%`);
  }

  function draw() {
    frame = 0;
    const x = tilt.x * MOVEMENT.x, y = tilt.y * MOVEMENT.y;
    write(background, 'backgroundPosition', `calc(50% - ${pixels(x)}) calc(50% - ${pixels(y)})`);
    if (content) write(content, 'transform', `translate3d(${pixels(x / 2)}, ${pixels(y / 2)}, 0)`);
  }

  function onOrientation(event) {
    if (window.suspendAnimation || reduced.matches || event.gamma === null && event.beta === null) return;
    tilt = tiltOf(event);
    frame = frame || requestAnimationFrame(draw);
  }

  function onReduced() {
    if (!reduced.matches) return;
    tilt = { x: 0, y: 0 };
    draw();
  }

  const observer = new ResizeObserver(fit);
  observer.observe(background);
  addEventListener('deviceorientation', onOrientation);
  reduced.addEventListener('change', onReduced);
  fit();
  draw();

  return {
    stop() {
      cancelAnimationFrame(frame);
      observer.disconnect();
      removeEventListener('deviceorientation', onOrientation);
      reduced.removeEventListener('change', onReduced);
      if (content) content.style.transform = '';
    },
  };
}
