// The feed: the posts of this device that wait on top, then the photos of everybody, the newest first.
import { act, ask } from './api.js';
import { button, dialog, h, icon, iconButton, setText, spinner, stateBox, toast, whileBusy } from './elements.js';
import { ageElement, photoCard, picture, updateAges } from './photo-card.js';
import { store } from './state.js';
import { frame } from './tabs.js';
import { texts } from './texts.js';

const PAGE = 20;
const AGES_MILLISECONDS = 5000;

export function showFeed(host) {
  const refresh = iconButton('turn', texts.feed.refresh, () => whileBusy(refresh, () => act('refresh')));
  const column = frame(host, '', texts.name, refresh);
  const status = h('p', { class: 'status', role: 'status' }), queue = h('ol', { class: 'photos queue', 'aria-label': texts.feed.queue });
  const list = photoList({ empty: () => emptyBox() });
  column.append(status, queue, list.element);
  let shownQueue = '';

  function update(state) {
    setText(status, state.trouble && state.stage === 'ready' ? texts.feed.offline(state.trouble) : '');
    const posts = state.posts.filter(post => post.stage !== 'draft').reverse(), key = JSON.stringify([posts, Boolean(state.trouble)]);
    if (key !== shownQueue) {
      shownQueue = key;
      queue.replaceChildren(...posts.map(queuedCard));
    }
    list.update(state);
  }

  const timer = setInterval(() => updateAges(column), AGES_MILLISECONDS);
  return {
    title: texts.tabs.feed, update,
    leave() {
      clearInterval(timer);
      list.stop();
    },
  };
}

function emptyBox() {
  if (store.state.isComplete) return stateBox('pictures', texts.feed.emptyTitle, texts.feed.empty);
  if (store.state.trouble) return stateBox('cloud', texts.feed.unreachableTitle, texts.feed.unreachable);
  return h('p', { class: 'wait' }, spinner(), texts.loading);
}

/** A post that the feed does not have yet, with what its user can do. */
function queuedCard(post) {
  const isSent = post.stage === 'sent';
  const words = post.refusal ? texts.queue.refused(post.refusal) : isSent ? texts.queue.sent : store.state.trouble ? texts.queue.waiting : texts.queue.sending;
  const cancel = button(texts.queue.cancel, () => confirmRemoval(post.id, texts.queue.cancelTitle, texts.queue.cancelText, texts.queue.keep), { class: 'secondary small' });
  const again = button(texts.queue.retry, () => whileBusy(again, () => act(post.refusal ? 'retry' : 'refresh', { id: post.id }).catch(tell)), { class: 'secondary small' });
  return h('li', { class: `photo queued${post.refusal ? ' is-refused' : ''}`, 'data-id': post.id },
    h('div', { class: 'picture' }, picture(`/pictures/${post.id}/thumbnail`, post.caption || texts.queue.picture, post)),
    post.caption && h('p', { class: 'caption', dir: 'auto' }, post.caption),
    h('div', { class: 'queue-row' }, post.refusal ? icon('warning') : isSent ? icon('cloudCheck') : store.state.trouble ? icon('clock') : spinner(), h('p', null, words), ageElement(post.time)),
    isSent ? null : h('div', { class: 'queue-actions' }, again, cancel));
}

export async function confirmRemoval(id, title, text, keep) {
  const isMeant = await dialog({ title, text, isAlert: true, buttons: [{ label: keep, value: false }, { label: texts.photo.remove, value: true, kind: 'danger' }] });
  if (!isMeant) return false;
  return act('remove', { id }).then(() => true, error => { tell(error); return false; });
}

function tell(error) { toast(error.message, { isError: true }); }

/**
 * A list of photos, which loads further ones when its end comes into view. `user` limits it to the photos of one user,
 * `makeItem` makes the element of a photo.
 */
export function photoList({ user = null, empty, makeItem = photoCard, kind = 'photos' }) {
  const items = h('ol', { class: kind }), foot = h('div', { class: 'foot' }), element = h('div', null, items, foot);
  let photos = [], next = null, version = -1, isLoading = false, isOver = false;

  const observer = new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting) && next) loadMore(); });
  observer.observe(foot);

  const page = (before, limit) => ask('GET', `/feed?${new URLSearchParams({ limit, ...(before ? { before } : {}), ...(user ? { user } : {}) })}`);

  /** Reads as many photos again as are shown; elements of known photos remain. */
  async function reload(newVersion) {
    if (isLoading) return;
    isLoading = true;
    try {
      let wanted = Math.max(PAGE, photos.length), found = [], before = null;
      do {
        const answer = await page(before, Math.min(wanted, 100));
        found = found.concat(answer.photos);
        before = answer.next;
        wanted -= answer.photos.length;
      } while (before && wanted > 0 && !isOver);
      version = newVersion;
      show(found, before);
    } catch (error) {
      foot.replaceChildren(h('p', { class: 'note' }, error.message));
    }
    isLoading = false;
    if (!isOver && store.state && store.state.feedVersion !== version) reload(store.state.feedVersion);
  }

  async function loadMore() {
    if (isLoading) return;
    isLoading = true;
    try {
      const answer = await page(next, PAGE);
      show(photos.concat(answer.photos), answer.next);
    } catch (error) {
      tell(error);
    }
    isLoading = false;
  }

  function show(found, before) {
    const known = new Map(photos.map((photo, index) => [JSON.stringify(photo), items.children[index]]));
    const elements = found.map(photo => known.get(JSON.stringify(photo)) || makeItem(photo));
    if (elements.length !== items.children.length || elements.some((one, index) => one !== items.children[index])) items.replaceChildren(...elements);
    [photos, next] = [found, before];
    foot.replaceChildren(...(found.length ? [] : [empty()]));
  }

  return {
    element,
    update(state) {
      if (state.feedVersion !== version) reload(state.feedVersion);
      else if (!photos.length) foot.replaceChildren(empty());
    },
    stop() {
      isOver = true;
      observer.disconnect();
    },
  };
}
