// The code of a web app, and the permission that its page needs from the server.
import { ask, get } from '../api.js';
import { field, h, load, toast } from '../view.js';
import { texts } from '../texts.js';
import { block } from './same.js';

const CONFIG = '/_node/_local/_config';
const t = texts.applications;

/** Ten lines that log the user in, and keep the user's documents in the browser and on the server the same. */
export function webCode(declaration, server, address) {
  const text = value => `'${value.replace(/[\\']/g, '\\$&')}'`;
  return [
    'import PouchDB from \'pouchdb\';', '',
    '/** The documents in the browser: the app works with them, also without a network. */',
    'export const documents = new PouchDB(\'documents\');', '',
    '/** Logs the user in, and replicates the documents with the user\'s database in both directions from now on. */',
    'export async function synchronize(name, password) {',
    `  const login = { name, password, device: { name: ${text(t.deviceName('Web'))} }, version: ${text(declaration.versions?.first || '1.0')} };`,
    `  const answer = await fetch(${text(`${address}/login`)}, { method: 'POST', credentials: 'omit', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(login) });`,
    '  if (!answer.ok) throw new Error((await answer.json()).reason);',
    '  const { database, api_key, api_password } = await answer.json();',
    '  const withKey = (url, options) => {',
    '    options.headers.set(\'Authorization\', `Basic ${btoa(`${api_key}:${api_password}`)}`);',
    '    return PouchDB.fetch(url, { ...options, credentials: \'omit\' });',
    '  };',
    `  const remote = new PouchDB(${text(`${server}/`)} + encodeURIComponent(database), { fetch: withKey, skip_setup: true });`,
    '  documents.sync(remote, { live: true, retry: true }).on(\'error\', console.error);',
    '}',
  ].join('\n');
}

/** The origins of the web app, as its declaration knows them. */
const originsOf = declaration => [...new Set((declaration.redirects || []).filter(address => /^https?:/.test(address)).map(address => new URL(address).origin))];

/** The part that allows the page of the web app to use the server: a browser refuses pages of other addresses otherwise. */
export function originPart(declaration, signal) {
  const host = h('div');
  const draw = () => load(host, () => get(CONFIG, { signal }), ({ chttpd, cors }) => content(declaration, chttpd, cors, draw), signal);
  draw();
  return host;
}

function content(declaration, chttpd, cors, again) {
  const allowed = chttpd.enable_cors === 'true' ? (cors.origins || '').split(',').map(origin => origin.trim()).filter(Boolean) : [];
  const input = h('input', { type: 'url', required: true, pattern: 'https?://[^\\/]+', title: t.originNote, placeholder: 'https://app.example.org', value: originsOf(declaration).find(origin => !allowed.includes(origin)) || '' });
  const allow = async event => {
    event.preventDefault();
    try {
      await ask('PUT', `${CONFIG}/cors/origins`, [...new Set([...allowed, input.value.trim()])].join(', '));
      await ask('PUT', `${CONFIG}/chttpd/enable_cors`, 'true');
      toast(t.originAllowed(input.value.trim()));
      again();
    } catch (error) {
      toast(error.message, 'error');
    }
  };
  return [
    h('p', null, allowed.includes('*') ? t.allOrigins : allowed.length ? t.origins(allowed.join(', ')) : t.noOrigins),
    !allowed.includes('*') && h('form', { class: 'database-form', onsubmit: allow }, field(t.origin, input, t.originNote), h('button', null, t.allowOrigin)),
  ];
}

/** The blocks of a web app. */
export const webPart = (declaration, server, address, signal) => [
  h('p', { class: 'note' }, t.webNote), block('JavaScript', webCode(declaration, server, address)), originPart(declaration, signal),
];
