// The photo that is open is in the page's address: `#ID`. Back closes it, and the full screen before it.

let tell = () => {};

export function openId() {
  if (location.hash.length < 2) return null;
  try { return decodeURIComponent(location.hash.slice(1)); } catch { return null; }
}

export function isFull() { return Boolean(openId() && history.state && history.state.isFull); }

/** The number of entries of the history that this page added for the photo. */
function depth() { return history.state && history.state.depth || 0; }

/** Opens a photo. One in place of another takes the other's place in the history. */
export function open(id) {
  const hash = `#${encodeURIComponent(id)}`;
  if (openId() === null) history.pushState({ depth: 1 }, '', hash);
  else history.replaceState(history.state, '', hash);
  tell();
}

export function close() {
  if (openId() === null) return;
  if (depth()) return history.go(-depth());
  history.replaceState(null, '', location.pathname + location.search);
  tell();
}

export function openFull() {
  if (!isFull()) history.pushState({ depth: depth() + 1, isFull: true }, '', location.hash);
  tell();
}

export function closeFull() { if (isFull()) history.back(); }

/** Calls a function after each change of the address. */
export function onAddress(handler) {
  tell = handler;
  addEventListener('popstate', handler);
}
