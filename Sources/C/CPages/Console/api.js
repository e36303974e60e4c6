// Requests to the server: the public routes, with the session of the console.

/** The session: { name, roles, token, version, pages }. The name is `null` without a login. */
export const session = { name: null, roles: [], token: null, version: '', pages: [] };

export const isAdministrator = () => session.roles.includes('_admin');

/** An answer with an error: its message is a sentence. `status` is 0 if the server did not respond. */
export class RequestError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Whether a browser can address something with a name: it leaves out `.` and `..`, and so would address something else. */
export const isAddressable = name => name !== '.' && name !== '..';

/** A part of a path. */
export function segment(part) {
  if (!isAddressable(part)) throw new RequestError(0, 'bad_name', `The browser cannot address something with the name “${part}”.`);
  return encodeURIComponent(part);
}

/** The path of a database, or of a document or a route in it. Slashes of names are escaped. */
export function path(database, ...parts) {
  return '/' + [database, ...parts].map(segment).join('/');
}

/** The path of a document. A design document keeps its slash. */
export function documentPath(database, id, ...parts) {
  const start = ['_design/', '_local/'].find(prefix => id.startsWith(prefix));
  const name = start ? start + segment(id.slice(start.length)) : segment(id);
  return `${path(database)}/${[name, ...parts.map(segment)].join('/')}`;
}

/** The path with parameters; values that are no texts become JSON, and those that are `undefined` are left out. */
export function withQuery(base, parameters) {
  const items = Object.entries(parameters).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`);
  return items.length ? `${base}${base.includes('?') ? '&' : '?'}${items.join('&')}` : base;
}

/**
 * The address of a download, which the browser requests without the session's header. The mark makes it a request of the
 * console, also if the browser has another session of the server.
 */
export const downloadAddress = address => withQuery(address, { console: 'download' });

/**
 * Sends a request, and returns the response.
 *
 * @param body A value that is sent as JSON, or a Blob that is sent as it is.
 * @param options `signal` cancels; `headers` are added.
 */
export async function send(method, address, body, options = {}) {
  const headers = { Accept: 'application/json', ...options.headers };
  if (session.token) headers['X-Godwit-CSRF'] = session.token;
  let content = body;
  if (body !== undefined && !(body instanceof Blob)) {
    headers['Content-Type'] = 'application/json';
    content = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(address, { method, headers, body: content, signal: options.signal, cache: 'no-store' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new RequestError(0, 'offline', 'The server did not respond. Check that it is running.');
  }
  if (!response.ok) throw await failure(response);
  return response;
}

async function failure(response) {
  let text = '';
  try { text = await response.text(); } catch { /* the status says enough */ }
  return failureOf(response.status, text);
}

/** The error of a response: its reason is in JSON, or, from the storage of objects, in the paragraph of a page. */
export function failureOf(status, text) {
  let answer = null;
  try { answer = JSON.parse(text); } catch { /* a page, or nothing */ }
  // A validation function may throw any value as the reason.
  const thrown = answer?.reason, words = thrown && typeof thrown !== 'string' ? JSON.stringify(thrown) : thrown;
  const reason = words || answer?.error || paragraphOf(text) || `The server responded with status ${status}`;
  const error = new RequestError(status, answer?.error || '', sentence(reason));
  error.answer = answer;
  // A right that is missing has status 401 too, as in CouchDB.
  if ((status === 401 || status === 403) && session.name !== null) checkSession();
  return error;
}

/** The text of the first paragraph of a page. The page is parsed as a separate document, which runs no scripts. */
function paragraphOf(text) {
  if (!/<p>/i.test(text)) return '';
  return new DOMParser().parseFromString(text, 'text/html').querySelector('p').textContent;
}

/** Tells the page if the session has ended. */
export async function checkSession() {
  try {
    const response = await fetch('/_utils/session', { headers: { Accept: 'application/json' }, cache: 'no-store' });
    if (response.ok && (await response.json()).name !== session.name) document.dispatchEvent(new CustomEvent('session-ended'));
  } catch { /* the next request fails too */ }
}

function sentence(text) {
  const trimmed = String(text).trim();
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

/** Sends a request, and returns the JSON of the response. */
export async function ask(method, address, body, options) {
  const response = await send(method, address, body, options);
  return response.status === 204 || method === 'HEAD' ? null : response.json();
}

export const get = (address, options) => ask('GET', address, undefined, options);

// ---- The same request elsewhere

/** A text as a word of a shell. */
export const quoted = text => `'${String(text).replaceAll('\'', '\'\\\'\'')}'`;

/**
 * The request as a line for a shell. The name is the session's, and curl asks for the password.
 *
 * @param options `headers` are added; `file` is the name of a file that is sent, and `output` that of a file for the response.
 */
export function curlLine(method, address, body, { headers = {}, file, output } = {}) {
  const verb = method === 'HEAD' ? '-I' : method === 'GET' || file !== undefined ? '' : `-X ${method}`;
  const parts = ['curl', verb, `-u ${quoted(session.name || 'NAME')}`, quoted(location.origin + address)];
  if (body !== undefined) parts.push('-H \'Content-Type: application/json\'', `-d ${quoted(JSON.stringify(body))}`);
  // Without a value, curl sends a header only with a semicolon.
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  if (file !== undefined) parts.push(`-T ${quoted(file)}`);
  if (output !== undefined) parts.push(`-o ${quoted(output)}`);
  return parts.filter(Boolean).join(' ');
}

/** Swift that opens a database of this server. */
export function swiftDatabase(database) {
  return `let database = try CouchDatabase(\n    "${location.origin}${path(database)}", credentials: .session(user: "${session.name}", password: password))`;
}
