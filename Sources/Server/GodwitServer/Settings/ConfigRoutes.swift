//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes
import Logging

/// The routes of the server's settings, CouchDB's `_config`. Unknown settings are stored and have no effect.
struct ConfigRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/_node/{node}/_config", access: .administrator, work: .light, handler: all),
            Route(.get, "/_node/{node}/_config/{section}", access: .administrator, work: .light, handler: section),
            Route(.get, "/_node/{node}/_config/{section}/{key}", access: .administrator, work: .light, handler: show),
            Route(.put, "/_node/{node}/_config/{section}/{key}", access: .administrator, work: .light, handler: set),
            Route(
                .delete, "/_node/{node}/_config/{section}/{key}", access: .administrator, work: .light, handler: reset),
            Route(.post, "/_node/{node}/_config/_reload", access: .administrator, posts: .any) { context in
                try await context.response.sendJSON(body: okLine)
            },
        ]
    }

    private static let administrators = "admins"

    @Sendable private func all(_ context: RequestContext) async throws {
        try context.request.checkNode()
        var sections = JSONObject()
        let known = Set((SettingKey.all.map(\.section) + SettingKey.sectionNames.keys).map { ExactText($0) })
        for name in known.union(server.settings.withoutEffect.keys).sorted().map(\.text) {
            sections[name] = .object(values(of: name))
        }
        sections[SettingKey.tokenKeys] = .object(values(of: SettingKey.tokenKeys))
        sections[ConfigRoutes.administrators] = .object(values(of: ConfigRoutes.administrators))
        try await context.response.sendJSON(body: JSONValue.object(sections).line)
    }

    @Sendable private func section(_ context: RequestContext) async throws {
        try context.request.checkNode()
        try await context.response.sendJSON(
            body: JSONValue.object(values(of: context.request.parameter("section"))).line)
    }

    private func values(of section: String) -> JSONObject {
        var values = JSONObject()
        if section == ConfigRoutes.administrators {
            for (name, hash) in server.administrators.all { values[name] = .string(hash.description) }
        }
        let options = server.settings.options.value
        let original = SettingKey.sectionNames[section] ?? section
        for key in SettingKey.all where key.section.isIdenticalText(to: original) { values[key.name] = shown(key) }
        if section == SettingKey.tokenKeys {
            for name in options.tokenKeys.keys.sorted().map(\.text) {
                values[name] = SettingKey.named(section, name).map(shown)
            }
        }
        for (name, text) in server.settings.withoutEffect[ExactText(section)] ?? [:] {
            values[name.text] = .string(text)
        }
        return values
    }

    /// The text that is shown instead of a secret.
    private static let hiddenText = "(hidden)"

    /// Returns a value as it was written. If the setting is a secret, its value is hidden.
    private func shown(_ key: SettingKey) -> JSONValue {
        .string(key.isSecret ? ConfigRoutes.hiddenText : server.settings.text(of: key))
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        try context.request.checkNode()
        let (section, key) = (context.request.parameter("section"), context.request.parameter("key"))
        guard let value = SettingKey.named(section, key).map(shown) ?? values(of: section)[key] else {
            throw HTTPFailure.noSetting
        }
        try await context.response.sendJSON(body: value.line)
    }

    @Sendable private func set(_ context: RequestContext) async throws {
        try context.request.checkNode()
        // This body may be longer than `max_http_request_size`, so that a value that is too small can be corrected.
        let body = try await context.request.collectValue(limits: server.fixedLimits, depthMax: 1)
        guard let text = body.stringValue else {
            throw HTTPFailure.badRequest("the value of a setting must be a JSON string")
        }
        try await change(context, to: text)
    }

    @Sendable private func reset(_ context: RequestContext) async throws {
        try context.request.checkNode()
        try await change(context, to: nil)
    }

    private func change(_ context: RequestContext, to text: String?) async throws {
        let (section, key) = (context.request.parameter("section"), context.request.parameter("key"))
        let name = context.principal.name
        let previousValue =
            section == ConfigRoutes.administrators
            ? try await setAdministrator(key, by: name, password: text)
            : try await setSetting(section, key, by: name, to: text?.trimmingSpaces)
        let hasEffect = section == ConfigRoutes.administrators || SettingKey.named(section, key) != nil
        let note =
            hasEffect
            ? text.flatMap { ConfigRoutes.weakness(of: $0, in: section, key) }
            : "This server has no such setting. The value is stored but has no effect."
        guard let note, text != nil else {
            return try await context.response.sendJSON(body: JSONValue.string(previousValue).line)
        }
        if hasEffect { server.logger.warning("\(section)/\(key): \(note)") }
        // The body is the previous value. There is none when a setting is written for the first time.
        try await context.response.sendJSON(
            headers: [.note: note], body: JSONValue.string(previousValue.isEmpty ? note : previousValue).line)
    }

    /// The length below which a key of HMAC is weak, in bytes: that of the shortest hash (RFC 7518, 3.2).
    private static let keyBytesMin = 32

    /// Returns a warning for a value that works but is weak; `nil` for any other value.
    private static func weakness(of text: String, in section: String, _ key: String) -> String? {
        guard section == SettingKey.tokenKeys, key.begins(with: "hmac:"),
            let count = Base64.decode(text.utf8)?.count, count < keyBytesMin
        else { return nil }
        return "The key has \(count) bytes. A key of fewer than \(keyBytesMin) bytes may be found by trying."
    }

    /// Changes a setting.
    ///
    /// - Returns: The previous value, as `_config` shows it.
    private func setSetting(
        _ section: String, _ key: String, by principal: String?, to text: String?
    ) async throws -> String {
        let previousValue: String?
        if let setting = SettingKey.named(section, key) {
            // A client that wants to restore the value that it got would make a secret that everybody knows.
            guard !setting.isSecret || text != ConfigRoutes.hiddenText else {
                throw HTTPFailure.badRequest(
                    "\(ConfigRoutes.hiddenText) is what the server shows instead of a secret. Send the secret itself.")
            }
            let previousText = server.settings.text(of: setting)
            previousValue = setting.isSecret && !previousText.isEmpty ? ConfigRoutes.hiddenText : previousText
            try await server.settings.set(setting, to: text)
        } else {
            previousValue = server.settings.withoutEffect[ExactText(section)]?[ExactText(key)]
            try await server.settings.keep(section, key, as: text)
        }
        server.rightsChanges.noteAllPrincipals()
        server.audit.settingChanged(section, key, by: principal)
        return previousValue ?? ""
    }

    private func setAdministrator(
        _ name: String, by principal: String?, password: String?
    ) async throws -> String {
        let administrators = server.administrators
        let accounts = server.gatekeeper.authenticator.accounts
        let previousHash = administrators.hash(of: name)
        guard let password else {
            guard previousHash != nil else { throw HTTPFailure.noSetting }
            try await administrators.set(name, to: nil)
            try await accounts.removeCredentials(ofAdministrator: name)
            server.rightsChanges.note(account: name)
            server.audit.administratorRemoved(name, by: principal)
            return previousHash?.description ?? ""
        }
        guard !password.isEmpty, !name.utf8.contains(UInt8(ascii: ":")) else {
            throw HTTPFailure.badRequest("an administrator needs a password, and a name without a colon")
        }
        let iterations = server.settings.options.iterations
        // If the text is already a hash, it is stored unchanged. Therefore administrators can be copied from a CouchDB
        // server with their passwords.
        let hash = try await PasswordWork.run(for: principal ?? "") {
            PasswordHash(password) ?? PasswordHash(of: password, iterations: iterations)
        }
        // A former administrator with this name may have left credentials: they remain if the server was stopped after
        // it removed the administrator and before it removed the credentials.
        if previousHash == nil { try await accounts.removeCredentials(ofAdministrator: name) }
        try await administrators.set(name, to: hash)
        if PasswordHash(password) == nil {
            server.logger.warnOfWeakness(of: password, whose: "administrator", name: name)
        }
        server.rightsChanges.note(account: name)
        server.audit.administratorSet(name, isNew: previousHash == nil, by: principal)
        return previousHash?.description ?? ""
    }
}

extension SettingKey {
    /// Whether `_config` hides the value.
    fileprivate var isSecret: Bool { name == "secret" || name.utf8.starts(with: "hmac:".utf8) }
}

extension HTTPField.Name {
    fileprivate static let note = HTTPField.Name("X-Godwit-Note")!
}

extension ServerRequest {
    /// Checks the name of the node in the path.
    ///
    /// - Throws: ``HTTPFailure`` with status 412 for a name other than this node's.
    func checkNode() throws(HTTPFailure) {
        guard ["_local", nodeName].contains(where: parameter("node").isIdenticalText) else {
            throw HTTPFailure(.preconditionFailed, "nodedown", "\(parameter("node")) is down")
        }
    }
}

/// The name of this server's only node, as in a CouchDB without a cluster.
let nodeName = "nonode@nohost"

extension String {
    /// The text without leading and trailing spaces. CouchDB stores settings in this form.
    fileprivate var trimmingSpaces: String {
        let bytes = utf8.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") }
        return String(decoding: bytes.reversed(), as: UTF8.self)
    }
}
