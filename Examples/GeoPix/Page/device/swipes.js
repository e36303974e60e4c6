// Swipes: a finger that moves mostly sideways goes to the next item.

const DISTANCE = 48;

/** Calls `step(1)` after a swipe to the left, `step(-1)` after one to the right. Returns a function that ends this. */
export function watchSwipes(element, step) {
  let start = null;
  const down = event => {
    const isPlain = event.pointerType !== 'mouse' && event.isPrimary && (window.visualViewport?.scale || 1) < 1.05;
    start = isPlain ? { x: event.clientX, y: event.clientY } : null;
  };
  const up = event => {
    if (!start) return;
    const x = event.clientX - start.x, y = event.clientY - start.y;
    start = null;
    if (Math.abs(x) >= DISTANCE && Math.abs(x) > 1.5 * Math.abs(y)) step(x < 0 ? 1 : -1);
  };
  const cancel = () => { start = null; };
  const pairs = [['pointerdown', down], ['pointerup', up], ['pointercancel', cancel]];
  pairs.forEach(([name, run]) => element.addEventListener(name, run));
  return () => pairs.forEach(([name, run]) => element.removeEventListener(name, run));
}
