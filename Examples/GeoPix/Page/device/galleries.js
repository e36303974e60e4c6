// The lists of photos: those of this device, and everybody's. They are read by pages, newest first.
import { ask } from './api.js';

const PAGE = 60;
/** The maximum number of pages that are read again after a change, and until a photo is found. */
const REFRESH_PAGES = 5;
const FIND_PAGES = 20;
const REFRESH_MILLISECONDS = 400;

const isOlder = (a, b) => a.sort < b.sort || a.sort === b.sort && a.id < b.id;

class PhotoList {
  constructor(from) {
    this.from = from;
    this.listeners = new Set();
    this.generation = 0;
    this.reset();
  }

  reset() {
    this.generation += 1;
    clearTimeout(this.timer);
    // `next` is where the next page begins: `undefined` before the first, `null` after the last.
    Object.assign(this, { photos: [], next: undefined, loading: null, error: null, scroll: 0, timer: 0, seen: '', again: false });
    this.tell();
  }

  onChange(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell() { this.listeners.forEach(listener => listener()); }

  get isComplete() { return this.next === null; }

  index(id) { return this.photos.findIndex(photo => photo.id === id); }

  page(next) {
    const query = new URLSearchParams({ limit: PAGE, ...next });
    if (this.from === 'server') query.set('from', 'server');
    return ask('GET', `/gallery?${query}`);
  }

  /** Reads the next page. An error is kept in `error`. */
  more() {
    if (this.loading || this.isComplete) return this.loading || Promise.resolve();
    const generation = this.generation;
    this.error = null;
    this.loading = this.page(this.next).then(answer => {
      if (generation !== this.generation) return;
      const known = new Set(this.photos.map(photo => photo.id));
      this.photos = [...this.photos, ...answer.photos.filter(photo => !known.has(photo.id))];
      this.next = answer.next;
    }).catch(error => {
      if (generation === this.generation) this.error = error;
    }).then(() => {
      if (generation !== this.generation) return;
      this.loading = null;
      this.tell();
    });
    this.tell();
    return this.loading;
  }

  /** Reads the newest photos again: what changed is mostly there. */
  async refresh() {
    if (this.next === undefined) return this.more();
    if (this.isRefreshing) {
      this.again = true;
      return undefined;
    }
    this.isRefreshing = true;
    const generation = this.generation;
    try {
      const fresh = [];
      let next;
      for (let page = 0; page < REFRESH_PAGES; page++) {
        const answer = await this.page(next);
        fresh.push(...answer.photos);
        next = answer.next;
        // Marks of photos that were not sent may have changed.
        if (next === null || this.from === 'server' || !this.photos.some(photo => !photo.isSent && isOlder(photo, fresh[fresh.length - 1]))) break;
      }
      if (generation === this.generation) this.merge(fresh, next);
    } catch { /* the list remains as it is; the next change reads it again */ }
    this.isRefreshing = false;
    if (this.again) {
      this.again = false;
      return this.refresh();
    }
    return undefined;
  }

  merge(fresh, next) {
    const last = fresh[fresh.length - 1];
    const rest = next === null ? [] : this.photos.filter(photo => isOlder(photo, last));
    this.photos = [...fresh, ...rest];
    if (!rest.length) this.next = next;
    this.error = null;
    this.tell();
  }

  /** Reads the list again soon if `key` says that there is a change. */
  follow(key) {
    if (this.seen === key) return;
    this.seen = key;
    if (this.next === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), REFRESH_MILLISECONDS);
  }

  /** Reads pages until a photo is there; `false` if it is not in the list. */
  async find(id) {
    for (let page = 0; page < FIND_PAGES && this.index(id) < 0 && !this.isComplete; page++) {
      await this.more();
      if (this.error) throw this.error;
    }
    return this.index(id) >= 0;
  }

  change(id, values) {
    this.photos = this.photos.map(photo => (photo.id === id ? { ...photo, ...values } : photo));
    this.tell();
  }

  remove(id) {
    this.photos = this.photos.filter(photo => photo.id !== id);
    this.tell();
  }
}

export const galleries = { device: new PhotoList('device'), server: new PhotoList('server') };

/** Reads again what a new state of the device changes. */
export function followState(state) {
  if (state.stage !== 'ready') {
    if (galleries.device.next !== undefined) galleries.device.reset();
    if (galleries.server.next !== undefined) galleries.server.reset();
    return;
  }
  const last = state.last;
  galleries.device.follow([state.count, state.waiting, last?.id, last?.caption, last?.isSent].join());
  if (state.replication.text === 'Replication Complete') galleries.server.follow([state.count, state.waiting].join());
}
