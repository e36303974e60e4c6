// Public reading of a container: a switch that sets the rule of its header.
import { send } from '../api.js';
import { h, toast } from '../view.js';
import { texts } from '../texts.js';
import { storagePath } from './objects-paths.js';

const t = texts.objects;
const HEADER = 'X-Container-Read';
/** Everyone may read objects, and list them. */
const READING = '.r:*', LISTING = '.rlistings';
/** The requests that ask for the rules of containers at a time. */
const READERS_MAX = 4;

const rulesOf = response => (response.headers.get(HEADER) || '').split(',').map(rule => rule.trim()).filter(Boolean);

/** Whether everyone may read the container of a response. */
export const isPublic = response => rulesOf(response).includes(READING);

/** The header that makes a container public, or private. Rules for accounts stay. */
const headersOf = (rules, isOn) => ({ [HEADER]: [...(isOn ? [READING, LISTING] : []), ...rules.filter(rule => rule !== READING && rule !== LISTING)].join(',') });

/** The request that makes a container public, for a line of curl. */
export const publicRequest = address => ({ method: 'POST', address, headers: headersOf([], true) });

/**
 * The switch of a container. It is disabled until the state is known: `show(isOn)` sets it.
 *
 * @param changed Called after the user changed it, with the new state.
 */
export function publicSwitch(account, container, changed = () => {}) {
  const address = storagePath(account, container);
  const input = h('input', { type: 'checkbox', role: 'switch', disabled: true, 'aria-label': t.everyoneReadsName(container), onchange: () => set(input.checked) });
  const set = async isOn => {
    input.disabled = true;
    try {
      // The rules may have changed since they were shown.
      const rules = rulesOf(await send('HEAD', address));
      await send('POST', address, undefined, { headers: headersOf(rules, isOn) });
      toast(isOn ? t.nowPublic(container) : t.nowPrivate(container));
      changed(isOn);
    } catch (error) {
      input.checked = !isOn;
      toast(error.message, 'error');
    } finally {
      input.disabled = false;
      input.focus();
    }
  };
  return { input, address, show(isOn) { input.checked = isOn; input.disabled = false; } };
}

/** Reads the states of switches, some at a time. One that cannot be read stays disabled. */
export async function readSwitches(switches, signal) {
  const waiting = [...switches];
  const work = async () => {
    for (let item = waiting.shift(); item && !signal.aborted; item = waiting.shift()) {
      try { item.show(isPublic(await send('HEAD', item.address, undefined, { signal }))); } catch { /* it was deleted meanwhile */ }
    }
  };
  await Promise.all(Array.from({ length: READERS_MAX }, work));
}
