// Functions that the page's other modules share: elements, texts, requests, notices.

export var RADIUS = 4023.35;    // 2.5 miles, in meters

export function el(tag, className, text) {
  var e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

export function svg(tag, attributes, parent) {
  var e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (var k in attributes) e.setAttribute(k, attributes[k]);
  if (parent) parent.appendChild(e);
  return e;
}

export function byId(id) { return document.getElementById(id); }

function sentence(text) {
  text = text.trim();
  text = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(text) ? text : text + '.';
}

export function count(n, one, many) { return n + ' ' + (n === 1 ? one : many); }

// The JSON of an answer, or an Error whose message is a sentence for the page. Its `status` is 0 without an answer.
export function ask(method, path, body, signal) {
  var options = { method: method, headers: { Accept: 'application/json' }, cache: 'no-store', signal: signal };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['Content-Type'] = 'application/json';
  }
  return fetch(path, options).then(function (response) {
    return response.text().then(function (text) { return read(response, text); });
  }).catch(function (error) {
    if (error.name === 'AbortError' || error.status !== undefined) throw error;
    throw failure(0, 'The server did not respond. Check that it is running.');
  });
}

function read(response, text) {
  var body = null;
  try { body = JSON.parse(text); } catch (e) { /* told below */ }
  if (!response.ok) {
    var why = body && (body.reason || body.error);
    throw failure(response.status, why ? sentence(String(why)) : 'The server responded with status ' + response.status + '.');
  }
  if (body === null || typeof body !== 'object') throw failure(response.status, 'The server’s response could not be read.');
  return body;
}

function failure(status, message) {
  var error = new Error(message);
  error.status = status;
  return error;
}

// Notices are above the map, one for each key.
export function notice(key, kind, text, label, action) {
  clearNotice(key);
  var box = el('div', 'notice notice-' + kind);
  box.dataset.key = key;
  box.setAttribute('role', kind === 'error' ? 'alert' : 'status');
  box.appendChild(el('p', '', text));
  if (label) {
    var button = el('button', '', label);
    button.type = 'button';
    button.addEventListener('click', function () {
      clearNotice(key);
      byId('map').focus({ preventScroll: true });
      action();
    });
    box.appendChild(button);
  }
  byId('notices').appendChild(box);
}

export function clearNotice(key) {
  Array.prototype.slice.call(byId('notices').children).forEach(function (n) {
    if (n.dataset.key === key) n.remove();
  });
}

export function metres(a, b) {
  var r = Math.PI / 180, dLat = (b[1] - a[1]) * r, dLon = (b[0] - a[0]) * r;
  var h = Math.pow(Math.sin(dLat / 2), 2) +
    Math.cos(a[1] * r) * Math.cos(b[1] * r) * Math.pow(Math.sin(dLon / 2), 2);
  return 2 * 6371008.8 * Math.asin(Math.min(1, Math.sqrt(h)));
}

var day = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });
var clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit', second: '2-digit' });
var minute = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' });

export function moment(time) { return day.format(time) + ', ' + clock.format(time) + ' UTC'; }

export function span(from, to) {
  var d1 = day.format(from), d2 = day.format(to);
  return d1 + ', ' + minute.format(from) + '\u2009–\u2009' +
    (d1 === d2 ? '' : d2 + ', ') + minute.format(to) + ' UTC';
}

export function degrees(v, plus, minus, digits) {
  var text = Math.abs(v).toFixed(digits);
  return text + '°' + (Number(text) === 0 ? '' : ' ' + (v > 0 ? plus : minus));
}
