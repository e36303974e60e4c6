// The features of a map in a list: choosing one in the list shows it on the map, and the other way round.
import { button } from '../view.js';
import { texts } from '../texts.js';

const t = texts.map;

/**
 * Joins a map and the rows of tables.
 *
 * Returns `{ pick(feature) }`, a button that chooses the feature; the row of a chosen feature is marked.
 */
export function choices(map) {
  const buttons = new WeakMap();
  let marked = null;
  map.addEventListener('choose', ({ detail: { feature, isOnMap } }) => {
    marked?.removeAttribute('aria-current');
    marked = buttons.get(feature)?.closest('tr') || null;
    marked?.setAttribute('aria-current', 'true');
    if (isOnMap) marked?.scrollIntoView({ block: 'nearest' });
    else map.scrollIntoView({ block: 'nearest' });
  });
  return {
    pick(feature) {
      const element = button(feature.label, () => map.choose(feature), { class: 'link', title: t.showOnMap, dir: 'auto' });
      buttons.set(feature, element);
      return element;
    },
  };
}
