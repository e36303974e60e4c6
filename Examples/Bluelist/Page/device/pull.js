// Pull to refresh: a finger that pulls the top of a list down, and the mark that follows it.
import { h, icon, spinner } from './elements.js';

/** The distance from which a release refreshes, in pixels. */
const DISTANCE = 72;
const DISTANCE_MAX = 110;
/** The part of the finger's way by which the mark moves. */
const RESISTANCE = 0.5;

/** Calls `refresh`, which returns a promise, when the content of `scroller` is pulled. Returns the mark. */
export function pullToRefresh(scroller, refresh) {
  const mark = h('div', { class: 'pull', 'aria-hidden': 'true', hidden: true }, h('span', null, icon('turn'), spinner()));
  let start = null, distance = 0, isRefreshing = false;

  function move(pixels) {
    distance = pixels;
    mark.hidden = pixels === 0;
    mark.style.transform = `translateY(${pixels}px)`;
    mark.classList.toggle('is-far', pixels >= DISTANCE);
  }

  scroller.addEventListener('touchstart', event => {
    start = scroller.scrollTop <= 0 && event.touches.length === 1 && !isRefreshing ? event.touches[0].clientY : null;
  }, { passive: true });
  scroller.addEventListener('touchmove', event => {
    if (start === null) return;
    const way = (event.touches[0].clientY - start) * RESISTANCE;
    if (way <= 0) return move(0);
    if (event.cancelable) event.preventDefault();
    return move(Math.min(way, DISTANCE_MAX));
  }, { passive: false });
  for (const name of ['touchend', 'touchcancel']) {
    scroller.addEventListener(name, async () => {
      if (start === null) return;
      start = null;
      if (name === 'touchcancel' || distance < DISTANCE) return move(0);
      isRefreshing = true;
      move(DISTANCE);
      mark.classList.add('is-busy');
      await refresh();
      mark.classList.remove('is-busy');
      isRefreshing = false;
      return move(0);
    });
  }
  return mark;
}
