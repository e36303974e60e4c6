// Asks the server again and again while the page is shown: often while work is in progress, and seldom otherwise.

const FAST_MILLISECONDS = 700, SLOW_MILLISECONDS = 15_000;

/**
 * Calls `look()` until `signal` is aborted, and not while the page is hidden. `look` returns a promise that tells whether
 * work is in progress. Returns a function that looks at once.
 */
export function poll(look, signal) {
  let timer = 0, isLooking = false, isAsked = false;

  async function next() {
    clearTimeout(timer);
    if (signal.aborted || document.hidden) return;
    if (isLooking) { isAsked = true; return; }
    isLooking = true;
    let isBusy = false;
    try { isBusy = await look(); } catch { /* the next look may succeed */ }
    isLooking = false;
    if (signal.aborted) return;
    if (isAsked) { isAsked = false; return next(); }
    timer = setTimeout(next, isBusy ? FAST_MILLISECONDS : SLOW_MILLISECONDS);
  }

  document.addEventListener('visibilitychange', next, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer));
  timer = setTimeout(next, FAST_MILLISECONDS);
  return next;
}
