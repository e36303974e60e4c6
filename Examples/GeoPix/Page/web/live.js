// The photos as they arrive: the list for the map, and the server's events.
import { read } from './elements.js';
import { remove, replaceAll, take } from './photos.js';

/** The time after which a stream that ended is opened again, in milliseconds. */
const RETRY = 2000;
/** So many events within a short time that the server may have left some out: the list is read again after them. */
const BURST = 32, BURST_QUIET = 1500;

/**
 * Follows the photos until the page is left. The list is read when the stream of events has begun, so that no photo is
 * missed between them, and again after each interruption.
 *
 * handlers: `onList({ fresh, isFirst, isPart })`, `onNew(photo, isOnMap)`, `onChange(photo)`, `onGone(id)`, `onFailure(error)`,
 * `onConnection(isConnected)`.
 */
export function follow(handlers) {
  let source = null, retry = 0, waiting = null, isRead = false, isAgain = false, recent = 0, quiet = 0;

  function connect() {
    clearTimeout(retry);
    source?.close();
    source = new EventSource('/photos/events');
    source.addEventListener('ready', () => {
      clearTimeout(retry);
      handlers.onConnection(true);
      readList();
    });
    source.addEventListener('image', event => handle('image', event));
    source.addEventListener('gone', event => handle('gone', event));
    source.onerror = () => {
      handlers.onConnection(false);
      if (!isRead && !waiting) readList();
      clearTimeout(retry);
      retry = setTimeout(connect, RETRY);
    };
  }

  async function readList() {
    if (waiting) {
      isAgain = true;
      return;
    }
    waiting = [];
    isAgain = false;
    try {
      const list = await read('/photos/map'), isFirst = !isRead, fresh = replaceAll(list.photos);
      isRead = true;
      handlers.onList({ fresh, isFirst, isPart: list.isPart === true });
    } catch (error) {
      handlers.onFailure(error);
    }
    const events = waiting;
    waiting = null;
    events.forEach(event => apply(...event));
    if (isAgain) readList();
  }

  function handle(kind, event) {
    let data;
    try { data = JSON.parse(event.data); } catch { return; }
    if (!data || typeof data.id !== 'string') return;
    recent += 1;
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      if (recent >= BURST) readList();
      recent = 0;
    }, BURST_QUIET);
    if (waiting) waiting.push([kind, data]); else apply(kind, data);
  }

  function apply(kind, data) {
    if (kind === 'gone') {
      remove(data.id);
      handlers.onGone(data.id);
    } else if (take(data)) {
      handlers.onNew(data);
    } else {
      handlers.onChange(data);
    }
  }

  addEventListener('online', connect);
  addEventListener('offline', () => handlers.onConnection(false));
  // The browser keeps pages that were left, with their connections, of which it has few for a server.
  addEventListener('pagehide', () => {
    clearTimeout(retry);
    source?.close();
  });
  // A page that returns from the browser's memory has no stream.
  addEventListener('pageshow', event => { if (event.persisted) connect(); });
  connect();
  return { reload: readList };
}
