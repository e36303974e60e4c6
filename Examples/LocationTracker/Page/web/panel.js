// The panel next to the map: a description of the drawn items, a user's choice of a journey, an analyst's of users.
import { byId, count, el, metres, span } from './common.js';
import { NEWEST, owners } from './locations.js';

var TYPING = 200;          // milliseconds without a key until names are searched

// Called when the user changes the choice.
var chosen = function () {};
export function onChoice(handler) { chosen = handler; }

// Called with a name when an analyst goes to a user.
var go = function () {};
export function onGo(handler) { go = handler; }

// Called with the beginning of a name that an analyst types.
var find = function () {};
export function onFind(handler) { find = handler; }

export function describe(list, isFull, users) {
  var caption = byId('caption'), all = [].concat.apply([], list.map(function (s) { return s.locations; }));
  caption.textContent = '';
  function fact(text, className) {
    caption.appendChild(el('span', 'fact ' + className, text));
    caption.appendChild(document.createTextNode(' '));
  }
  var times = all.map(function (l) { return l.time; }).filter(function (t) { return typeof t === 'number'; });
  var length = 0;
  list.forEach(function (s) {
    s.locations.slice(1).forEach(function (l, i) { length += metres(s.locations[i].at, l.at); });
  });
  if (users !== undefined) fact(count(users, 'user', 'users'), 'fact-users');
  fact(count(all.length, 'location', 'locations'), 'fact-count');
  if (times.length && users === undefined) fact(span(Math.min.apply(null, times), Math.max.apply(null, times)), 'fact-time');
  if (length && users === undefined) fact((length / 1000).toFixed(1) + ' km', 'fact-length');
  if (isFull) fact('Only the newest ' + NEWEST + ' of each user are drawn', 'fact-kind');
  list.filter(function (s) { return s.isMadeUp; }).slice(0, 1).forEach(function (s) {
    fact('Made up, not a real trace: ' + words(s.name), 'fact-kind made-up');
  });
  caption.hidden = !all.length;
}

// A session's name as words, without the number that makes it unique; nothing for a random name.
function words(name) {
  var text = /^[0-9a-f-]{36}$/i.test(name) ? '' : name.replace(/-\d{9,}$/, '').replace(/[-_]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function titleOf(journey) {
  var times = journey.locations.map(function (l) { return l.time; });
  var title = words(journey.name), time = span(times[0], times[times.length - 1]);
  if (!title) return time;
  return title + (/-\d{9,}$/.test(journey.name) ? ', ' + time : '') + (journey.isMadeUp ? ' (made up)' : '');
}

// Lists the journeys, and returns the chosen one; nothing for all of them.
export function fillChoice(all) {
  var select = byId('journey'), before = select.value;
  byId('choice').hidden = all.length < 2;
  select.textContent = '';
  [{ name: '', title: 'All journeys' }].concat(all.slice().reverse()).forEach(function (journey) {
    var option = el('option', '', journey.title || titleOf(journey));
    option.value = journey.name;
    select.appendChild(option);
  });
  select.value = all.some(function (s) { return s.name === before; }) ? before : '';
  return select.value;
}

byId('journey').addEventListener('change', function () { chosen(); });

export function listUsers() {
  var list = byId('user-list'), names = Array.from(owners.keys()).sort();
  byId('users').hidden = !names.length;
  Array.from(list.children).forEach(function (line) { if (!owners.has(line.dataset.user)) line.remove(); });
  names.forEach(function (name, i) {
    var line = Array.from(list.children).filter(function (l) { return l.dataset.user === name; })[0] || userLine(name);
    if (list.children[i] !== line) list.insertBefore(line, list.children[i] || null);
    line.querySelector('input').checked = owners.get(name).isShown;
    line.querySelector('.user-count').textContent = String(owners.get(name).locations.size);
    line.querySelector('.user-note').textContent =
      owners.get(name).sessions.some(function (s) { return s.isMadeUp; }) ? 'made up' : '';
  });
}

function userLine(name) {
  var line = el('li'), box = el('input'), button = el('button', 'user-go');
  box.type = 'checkbox';
  box.setAttribute('aria-label', 'Show ' + name);
  box.addEventListener('change', function () {
    owners.get(name).isShown = box.checked;
    chosen();
  });
  var swatch = el('span', 'swatch');
  swatch.style.background = owners.get(name).colour;
  button.type = 'button';
  button.title = 'Go to ' + name;
  button.append(swatch, el('span', 'user-name', name));
  button.addEventListener('click', function () { go(name); });
  line.append(box, button, el('span', 'user-note'), el('span', 'user-count'));
  line.dataset.user = name;
  return line;
}

// Suggests names of users for the typed beginning.
export function suggest(names) {
  byId('user-matches').replaceChildren.apply(byId('user-matches'), names.map(function (name) {
    var option = el('option');
    option.value = name;
    return option;
  }));
}

byId('find-user').addEventListener('submit', function (event) {
  event.preventDefault();
  var name = byId('user-name').value.trim();
  if (name) go(name);
});

var typing = 0;
byId('user-name').addEventListener('input', function () {
  clearTimeout(typing);
  typing = setTimeout(function () { find(byId('user-name').value.trim()); }, TYPING);
});

[['show-all', true], ['hide-all', false]].forEach(function (way) {
  byId(way[0]).addEventListener('click', function () {
    owners.forEach(function (whose) { whose.isShown = way[1]; });
    chosen();
  });
});
