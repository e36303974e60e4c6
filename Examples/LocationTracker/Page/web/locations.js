// The known locations by owner: the newest hundred of each.

export var NEWEST = 100;         // the maximum number of drawn locations of a user
export var USERS_MAX = 200;      // the maximum number of listed users
var SHOWN_AT_FIRST = 20;         // the number of users that are drawn at first
// The sessions of the demo's locations that are made up.
var MADE_UP = /^(drive-past-the-places|driving-on-\d+)$/;
var COLOURS = ['#3b82f6', '#ea580c', '#a855f7', '#0d9488', '#db2777', '#65a30d', '#ca8a04', '#dc2626', '#0891b2', '#64748b'];

export var owners = new Map();   // by name: { name, colour, isShown, isFull, locations: Map, sessions }

export function owner(name) {
  if (!owners.has(name)) {
    owners.set(name, {
      name: name, colour: COLOURS[owners.size % COLOURS.length], isShown: owners.size < SHOWN_AT_FIRST,
      isFull: false, locations: new Map(), sessions: []
    });
  }
  return owners.get(name);
}

export function isLocation(doc) {
  var at = doc && doc.type === 'Feature' && doc.geometry && doc.geometry.type === 'Point' && doc.geometry.coordinates;
  return Array.isArray(at) && isFinite(at[0]) && isFinite(at[1]) && Math.abs(at[1]) <= 90;
}

export function take(whose, id, doc) {
  if (!isLocation(doc)) return;
  var properties = doc.properties || {};
  whose.locations.set(id, {
    id: id, at: doc.geometry.coordinates, time: doc.created_at, session: String(properties.session_id || '')
  });
}

// The newest locations of a user by time, numbered; older ones are removed.
export function newest(whose) {
  var all = Array.from(whose.locations.values()).sort(function (a, b) {
    return a.time - b.time || (a.id < b.id ? -1 : 1);
  });
  whose.isFull = all.length >= NEWEST;
  all.splice(0, Math.max(0, all.length - NEWEST)).forEach(function (l) { whose.locations.delete(l.id); });
  all.forEach(function (l, i) { l.number = i + 1; });
  return all;
}

// Sessions in the order of their start: { name, isMadeUp, locations }.
export function sessions(list) {
  var byName = new Map();
  list.forEach(function (l) {
    if (!byName.has(l.session)) {
      byName.set(l.session, { name: l.session, isMadeUp: MADE_UP.test(l.session), locations: [] });
    }
    byName.get(l.session).locations.push(l);
  });
  return Array.from(byName.values());
}
