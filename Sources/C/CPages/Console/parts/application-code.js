// The code with which an app uses its application.
import { get } from '../api.js';
import { field, h } from '../view.js';
import { texts } from '../texts.js';
import { applicationPath } from './application-paths.js';
import { webPart } from './application-web.js';
import { block } from './same.js';
import { swiftText } from './swift-literal.js';

const t = texts.applications;

/** The platforms for which there is code. */
export const PLATFORMS = { linux: 'Linux', ios: 'iOS', android: 'Android', web: 'Web' };
/** What an app adds to its `Package.swift`, as README.md says. */
const PACKAGE = `dependencies: [.package(name: "godwit", path: "../godwit")],
targets: [.executableTarget(name: "MyApp", dependencies: [.product(name: "Godwit", package: "godwit")])]`;

export async function make(id, signal) {
  return codePart(await get(applicationPath(id), { signal }), signal);
}

/** The code with the choice of the platform. */
export function codePart(declaration, signal) {
  const place = h('div', { class: 'query' });
  const choice = h('select', null, Object.entries(PLATFORMS).map(([value, title]) => h('option', { value }, title)));
  const draw = () => place.replaceChildren(...codeOf(declaration, choice.value, signal));
  choice.addEventListener('change', draw);
  draw();
  return [h('div', { class: 'narrow' }, field(t.platform, choice)), place];
}

const isRegistrationOpen = declaration => declaration.registration !== 'administrators';

const isLoopback = address => /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/.test(new URL(address).hostname);

/** The blocks of code for a platform. */
export function codeOf(declaration, platform, signal) {
  const server = declaration.url || location.origin, isOpen = isRegistrationOpen(declaration);
  const address = `${server}${applicationPath(declaration.id)}`, isWeb = platform === 'web';
  const reach = isLoopback(server) ? h('p', { class: 'warning' }, t.loopback(server), ' ', h('a', { href: `#/applications/${encodeURIComponent(declaration.id)}?tab=logins` }, t.toAddress)) : null;
  const http = block('curl', httpCode(declaration, address)), addressBlock = block(t.route, address);
  if (isWeb) return [...webPart(declaration, server, address, signal), addressBlock, reach, h('p', { class: 'note' }, t.codeNote(isOpen)), http].filter(Boolean);
  return [
    (platform === 'ios' || platform === 'android') && h('p', { class: 'warning' }, t.onlyLinux(PLATFORMS[platform])),
    h('p', { class: 'note' }, t.swiftNote), block('Swift', swiftCode(declaration, server, PLATFORMS[platform])),
    h('p', { class: 'note' }, t.packageNote), block('Package.swift', PACKAGE), addressBlock, reach,
    h('p', { class: 'note' }, t.codeNote(isOpen)), http,
  ].filter(Boolean);
}

function swiftCode(declaration, server, platform) {
  const isOpen = isRegistrationOpen(declaration), version = declaration.versions?.first || '1.0';
  const shared = Object.entries(declaration.shared || {}).map(([name, item]) => sharedCode(name, item, server));
  return [
    'import Godwit', '',
    '/// Logs the user in, and replicates the user\'s documents with the server.',
    'func synchronize(in folder: String, name: String, password: String) async throws {',
    '    let manager = try DatastoreManager(directory: "\\(folder)/databases")',
    '    let access = try AccessManager(',
    `        server: ${swiftText(server)}, application: ${swiftText(declaration.id)},`,
    `        device: AppDevice(name: ${swiftText(t.deviceName(platform))}, platform: ${swiftText(platform)}), version: ${swiftText(version)},`,
    '        storage: FileSessionStorage(path: "\\(folder)/session"), wiping: [manager])', '',
    '    // The stored session continues. Without one the user logs in.',
    '    if try await access.user == nil {',
    ...(isOpen ? ['        // For a new account: try await access.register(name: name, password: password)'] : []),
    '        try await access.logIn(name: name, password: password)',
    '    }', '',
    '    // The user\'s own database, in both directions.',
    '    let documents = try await manager.datastore(named: "documents")',
    '    if let database = try await access.database {',
    `        let remote = try RemoteEndpoint.couchDB("${swiftText(server).slice(1, -1)}/\\(database)", credentials: .tokens(access))`,
    '        _ = try await Replicator(.pull, documents, with: remote).run()',
    '        _ = try await Replicator(.push, documents, with: remote).run()',
    '    }', ...shared.flat(),
    '}',
  ].join('\n');
}

function sharedCode(name, { rights = [] }, server) {
  // With its ending, the name is no keyword and no other variable of the code.
  const variable = `${name.replace(/[^a-z0-9]+(.)?/g, (_, letter) => (letter || '').toUpperCase())}Database`;
  const writes = rights.includes('_writer');
  return [
    '', `    // The shared database ${name}${writes ? '' : ', which users only read'}.`,
    `    let ${variable} = try await manager.datastore(named: ${swiftText(name)})`,
    `    let ${variable}Remote = try RemoteEndpoint.couchDB(`,
    `        ${swiftText(`${server}/${encodeURIComponent(name)}`)}, credentials: .tokens(access))`,
    `    _ = try await Replicator(.pull, ${variable}, with: ${variable}Remote).run()`,
    ...(writes ? [`    _ = try await Replicator(.push, ${variable}, with: ${variable}Remote).run()`] : []),
  ];
}

function httpCode(declaration, address) {
  const line = (method, path, body) => `curl -X ${method} '${address}${path}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    ...(isRegistrationOpen(declaration) ? [line('PUT', '/users/ann', { password: 'A PASSWORD' })] : []),
    line('POST', '/login', { name: 'ann', password: 'A PASSWORD', device: { name: 'Ann\u2019s device' }, version: declaration.versions?.first || '1.0' }),
  ].join('\n');
}
