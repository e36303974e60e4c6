// The session of the page and its data: a user sees their own locations, an analyst everybody's, live.
import { RADIUS, ask, byId, clearNotice, notice } from './common.js';
import { draw, drawPlaces } from './drawing.js';
import { layout } from './labels.js';
import { loadLocator } from './locator.js';
import { NEWEST, USERS_MAX, isLocation, newest, owner, owners, sessions, take } from './locations.js';
import { shown } from './map.js';
import { describe, fillChoice, listUsers, onChoice, onFind, onGo, suggest } from './panel.js';
import { follow } from './view.js';

var APP = 'locationtracker', ALL = '/lt_locations_all';
var VIEW = ALL + '/_design/users/_view/newest';
var TOGETHER = 20;               // users whose locations are read with one request
var MATCHES_MAX = 10;            // names that are suggested to an analyst
var WAIT = 30000, RETRY = 3000, REDRAW = 400;   // milliseconds

var session = null;              // { name, database, isAnalyst, abort }
var asked = '';                  // the centre of the last query for places
var drawing = 0;

// ---- Logging in and out

function showLogin(words) {
  if (session) session.abort.abort();
  session = null;
  owners.clear();
  asked = '';
  delete document.body.dataset.ready;
  ['who', 'choice', 'users', 'caption', 'foot'].forEach(function (id) { byId(id).hidden = true; });
  byId('notices').textContent = '';
  byId('login').hidden = false;
  byId('password').value = '';
  document.title = 'Location Tracker';
  follow();
  drawPlaces([]);
  draw([], false);
  if (words) notice('login', 'error', words);
  byId(byId('name').value ? 'password' : 'name').focus({ preventScroll: true });
}

byId('login').addEventListener('submit', function (event) {
  event.preventDefault();
  clearNotice('login');
  byId('submit').disabled = true;
  logIn({ name: byId('name').value, password: byId('password').value }).then(function () {
    if (session) byId('who-is').focus({ preventScroll: true });
  }).catch(function (error) {
    // The same message for all refused logins: it does not reveal whether the account exists.
    notice('login', 'error', error.status === 401 ? 'Wrong name or password.' : error.message);
    byId('password').select();
  }).then(function () { byId('submit').disabled = false; });
});

// The role decides what the page shows: only a user of the application has a database.
function logIn(body) {
  return ask('POST', '/tracker/login', body).then(function (answer) {
    return answer.database ? begin(answer.name, answer.database) : enter(answer.name, answer.roles);
  });
}

byId('logout').addEventListener('click', function () {
  ask('DELETE', '/_session').then(function () { showLogin(); }).catch(function (error) {
    notice('logout', 'error', 'You are still logged in. ' + error.message + ' Try again.');
  });
});

// Starts the page for the user of a session.
function enter(name, roles) {
  if (name && name.indexOf(APP + '/') === 0) {
    var user = name.slice(APP.length + 1);
    return ask('GET', '/_apps/' + APP + '/users/' + encodeURIComponent(user)).then(function (account) {
      begin(user, account.database);
    });
  }
  if (roles.indexOf('_admin') >= 0 || roles.indexOf(APP + '/analyst') >= 0) return begin(name, null);
  showLogin(name && name + ' is not an analyst: an administrator can assign the role ' + APP + '/analyst.');
}

function resume() {
  ask('GET', '/_session').then(function (answer) {
    return enter(answer.userCtx.name, answer.userCtx.roles);
  }).catch(function (error) { showLogin(error.status === 401 ? undefined : error.message); });
}

function begin(name, database) {
  session = { name: name, isAnalyst: !database, abort: new AbortController() };
  session.path = database ? '/' + encodeURIComponent(database) : ALL;
  byId('login').hidden = true;
  byId('password').value = '';
  byId('notices').textContent = '';
  byId('who-name').textContent = name;
  byId('who-what').textContent = session.isAnalyst ? 'everybody’s locations' : 'your own locations';
  byId('who').hidden = byId('foot').hidden = false;
  document.querySelectorAll('.of-user').forEach(function (e) { e.hidden = session.isAnalyst; });
  document.title = name + ' · Location Tracker';
  load(session);
}

// ---- Reading

// Sends requests that end with the session.
function requestOf(now) {
  return function (method, path, body) { return ask(method, path, body, now.abort.signal); };
}

function load(now) {
  clearNotice('load');
  var request = requestOf(now);
  // Later changes arrive live; a location that is read twice is the same.
  request('GET', now.path + '/_changes?limit=0&since=now').then(function (changes) {
    return (now.isAnalyst ? readAll(request) : readOwn(request, now)).then(function () {
      if (now !== session) return;
      redraw();
      document.body.dataset.ready = now.name;
      listen(now, changes.last_seq);
    });
  }).catch(function (error) {
    if (isOver(error, now)) return;
    notice('load', 'error', 'The locations could not be read. ' + error.message, 'Try again', function () { load(now); });
  });
}

function readOwn(request, now) {
  var query = { selector: { created_at: { $gt: 0 } }, sort: [{ created_at: 'desc' }], limit: NEWEST };
  return request('POST', now.path + '/_find', query).then(function (answer) {
    var own = owner(now.name);
    answer.docs.forEach(function (doc) { take(own, doc._id, doc); });
  });
}

function readAll(request) {
  return request('GET', VIEW + '?group_level=1&limit=' + (USERS_MAX + 1)).then(function (answer) {
    var names = answer.rows.map(function (row) { return row.key[0]; });
    if (names.length > USERS_MAX) {
      names.length = USERS_MAX;
      notice('users', 'wait', 'Only the first ' + USERS_MAX + ' users are listed.');
    }
    var turn = Promise.resolve();
    for (var i = 0; i < names.length; i += TOGETHER) {
      turn = turn.then(readSome.bind(null, request, names.slice(i, i + TOGETHER)));
    }
    return turn;
  });
}

function readSome(request, names) {
  var queries = names.map(function (name) {
    return {
      startkey: [name, {}], endkey: [name], descending: true, limit: NEWEST, reduce: false, include_docs: true
    };
  });
  return request('POST', VIEW + '/queries', { queries: queries }).then(function (answer) {
    answer.results.forEach(function (result, i) {
      var whose = owner(names[i]);
      result.rows.forEach(function (row) { take(whose, row.id, row.doc); });
    });
  });
}

// ---- Live

function listen(now, since) {
  var path = now.path + '/_changes?feed=longpoll&include_docs=true&limit=500&timeout=' + WAIT + '&since=' + encodeURIComponent(since);
  ask('GET', path, undefined, now.abort.signal).then(function (answer) {
    if (now !== session) return;
    clearNotice('live');
    answer.results.forEach(apply);
    if (answer.results.length) redrawSoon();
    listen(now, answer.last_seq);
  }).catch(function (error) {
    if (isOver(error, now)) return;
    notice('live', 'wait', error.message + ' New locations appear as soon as the server responds again.');
    setTimeout(function () { if (now === session) listen(now, since); }, RETRY);
  });
}

// Whether the answer is no longer needed; if the session has ended, shows the login.
function isOver(error, now) {
  if (now !== session || error.name === 'AbortError') return true;
  if (error.status !== 401 && error.status !== 403) return false;
  showLogin(error.status === 401 ? 'Your session has ended. Log in again.' : error.message);
  return true;
}

function apply(change) {
  var name = session.isAnalyst ? change.id.slice(0, Math.max(0, change.id.indexOf(':'))) : session.name;
  if (!name) return;
  if (change.deleted) {
    if (owners.has(name)) owners.get(name).locations.delete(change.id);
  } else if (isLocation(change.doc) && (owners.has(name) || owners.size < USERS_MAX)) {
    take(owner(name), change.id, change.doc);
  }
}

// ---- The drawing

function redrawSoon() {
  if (!drawing) drawing = setTimeout(redraw, REDRAW);
}

function redraw() {
  clearTimeout(drawing);
  drawing = 0;
  if (!session) return;
  if (session.isAnalyst) drawEverybody(); else drawOwn();
}

function drawOwn() {
  var all = sessions(newest(owner(session.name)));
  var chosen = fillChoice(all);
  var list = chosen ? all.filter(function (s) { return s.name === chosen; }) : all;
  list.forEach(function (s) { if (chosen) s.locations.forEach(function (l, i) { l.number = i + 1; }); });
  draw(list.length ? [{ owner: session.name, label: 'Last location', sessions: list }] : [], true);
  describe(list, owner(session.name).isFull);
  clearNotice('none');
  if (!all.length) notice('none', 'wait', 'There are no locations yet. They appear here as soon as a phone sends one.');
  findPlaces();
}

function drawEverybody() {
  var tracks = [];
  Array.from(owners.values()).forEach(function (whose) {
    whose.sessions = sessions(newest(whose));
    if (!whose.locations.size) owners.delete(whose.name);
    else if (whose.isShown) {
      tracks.push({ owner: whose.name, colour: whose.colour, label: whose.name, sessions: whose.sessions });
    }
  });
  listUsers();
  draw(tracks, false);
  describe([].concat.apply([], tracks.map(function (t) { return t.sessions; })), tracks.some(function (t) {
    return owners.get(t.owner).isFull;
  }), tracks.length);
  clearNotice('none');
  if (!owners.size) notice('none', 'wait', 'There are no locations yet. They appear here as soon as a user’s phone sends one.');
}

// ---- Places within the circle

function findPlaces() {
  var now = session, middle = shown.circle && shown.circle.getLatLng();
  var query = middle ? 'lat=' + middle.lat + '&lon=' + middle.lng + '&radius=' + RADIUS : '';
  if (query === asked) return;
  asked = query;
  if (!query) return drawPlaces([]);
  clearNotice('places');
  ask('GET', '/api/places?' + query + '&relation=contains&nearest=true&include_docs=true', undefined, now.abort.signal).then(function (answer) {
    if (query === asked) drawPlaces(answer.rows.map(function (row) { return row.doc; }));
  }).catch(function (error) {
    if (query !== asked || isOver(error, now)) return;
    notice('places', 'error', 'The places could not be read. ' + error.message, 'Try again', function () {
      asked = '';
      findPlaces();
    });
  });
}

// ---- An analyst's way to one user

// Shows a user's locations and moves the map to them. A user who is not listed is read first.
function goTo(name) {
  var now = session;
  clearNotice('go');
  var known = owners.has(name) ? Promise.resolve() : readSome(requestOf(now), [name]);
  return known.then(function () {
    if (now !== session) return;
    if (!owner(name).locations.size) {
      owners.delete(name);
      return notice('go', 'wait', 'There are no locations of ' + name + '.');
    }
    owner(name).isShown = true;
    follow(name);
    redraw();
  }).catch(function (error) {
    if (!isOver(error, now)) notice('go', 'error', 'The locations of ' + name + ' could not be read. ' + error.message);
  });
}

function findUsers(beginning) {
  var now = session;
  var range = '&startkey=' + encodeURIComponent(JSON.stringify([beginning])) +
    '&endkey=' + encodeURIComponent(JSON.stringify([beginning + '\ufff0', {}]));
  requestOf(now)('GET', VIEW + '?group_level=1&limit=' + MATCHES_MAX + range).then(function (answer) {
    if (now === session) suggest(answer.rows.map(function (row) { return row.key[0]; }));
  }).catch(function (error) { isOver(error, now); });
}

onChoice(function () {
  follow();
  redraw();
});
onGo(goTo);
onFind(findUsers);
layout();
loadLocator();
resume();
