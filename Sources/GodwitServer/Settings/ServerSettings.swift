//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitScript
import GodwitStore
import GodwitThreads
import HTTPTypes

/// The settings of a server, kept beside the databases; each holds at once.
final class ServerSettings: Sendable {
    private static let key = "settings"

    /// Options at one time. A reference: each request asks for them, and copying twenty texts costs more than a read.
    @dynamicMemberLookup
    final class Options: Sendable {
        let value: ServerOptions

        init(_ value: ServerOptions) { self.value = value }

        subscript<Value>(dynamicMember path: KeyPath<ServerOptions, Value>) -> Value { value[keyPath: path] }
    }

    private struct State {
        var options = Options(ServerOptions())
        /// The settings that were changed, by section and name.
        var changed: [String: [String: String]] = [:]
    }

    private let manager: DatastoreManager
    /// Who runs functions of design documents; `nil` when nobody does.
    private let scripts: ScriptEngine?
    private let state: Mutex<State>
    /// Changes come one after the other, each on disk before it holds.
    private let lock = KeyedAsyncLock<String>()

    /// Reads what is kept; the first time it makes the secret of session cookies.
    ///
    /// - Parameter scripts: Who runs functions of design documents, which is told of their limits.
    init(keptBy manager: DatastoreManager, scripts: ScriptEngine?) async throws {
        var (state, options) = (State(), ServerOptions())
        let stored = try await manager.setting(ServerSettings.key).map { try JSONValue(parsing: $0) }
        for (section, values) in stored?.objectValue ?? [:] {
            for (name, value) in values.objectValue ?? [:] {
                guard let text = value.stringValue else { continue }
                if let key = SettingKey.named(section, name), key.write(&options, text) != nil { continue }
                state.changed[section, default: [:]][name] = text
            }
        }
        state.options = Options(options)
        self.manager = manager
        self.scripts = scripts
        self.state = Mutex(state)
        if options.functions != FunctionRules() { setLimits(of: options.functions) }
        for key in SettingKey.made where key.read(options).isEmpty {
            try await set(key, to: nil)
        }
    }

    /// What the settings say now.
    var options: Options { state.withLock { $0.options } }

    /// Settings that were stored and that this server does not use, by section and name.
    var withoutEffect: [String: [String: String]] {
        state.withLock { $0.changed }.reduce(into: [:]) { kept, section in
            let values = section.value.filter { SettingKey.named(section.key, $0.key) == nil }
            if !values.isEmpty { kept[section.key] = values }
        }
    }

    /// Keeps a setting that has no effect, or forgets it.
    ///
    /// - Throws: ``HTTPFailure`` when there is none to forget, or too many are kept.
    func keep(_ section: String, _ name: String, as text: String?) async throws {
        guard section != SettingKey.tokenKeys else {
            throw HTTPFailure.badRequest("\(section)/\(name) must be named hmac:NAME, rsa:NAME or ec:NAME")
        }
        try await lock.withLock("") {
            var changed = state.withLock { $0.changed }
            guard text != nil || changed[section]?[name] != nil else { throw HTTPFailure.noSetting }
            changed[section, default: [:]][name] = text
            guard changed.values.reduce(0, { $0 + $1.count }) <= ServerLimits.settingsMax else {
                throw HTTPFailure.badRequest("More than \(ServerLimits.settingsMax) settings are kept. Delete some.")
            }
            try await manager.setSetting(ServerSettings.key, to: ServerSettings.stored(changed))
            state.withLock { $0.changed = changed }
        }
    }

    /// Changes a setting; `nil` brings its default back.
    ///
    /// - Throws: ``HTTPFailure`` when the value is none for it.
    func set(_ key: SettingKey, to text: String?) async throws {
        let (section, name) = (key.section, key.name)
        try await lock.withLock("") {
            var (options, changed) = state.withLock { ($0.options.value, $0.changed) }
            if let complaint = key.write(&options, text ?? key.read(ServerOptions())) {
                throw HTTPFailure.badRequest("\(section)/\(name) \(complaint)")
            }
            // What was kept is what holds: a secret that is taken back is a new one.
            let isKept = text != nil || SettingKey.made.contains { $0.name == key.name && $0.section == key.section }
            changed[key.section, default: [:]][key.name] = isKept ? key.read(options) : nil
            try await manager.setSetting(ServerSettings.key, to: ServerSettings.stored(changed))
            let before = state.withLock { state in
                defer { (state.options, state.changed) = (Options(options), changed) }
                return state.options.functions
            }
            if options.functions != before { setLimits(of: options.functions) }
        }
    }

    private func setLimits(of rules: FunctionRules) {
        guard let scripts else { return }
        scripts.setLimits(rules.limits(scripts.limits))
    }

    private static func stored(_ changed: [String: [String: String]]) -> [UInt8] {
        var sections = JSONObject()
        for (section, values) in changed {
            var object = JSONObject()
            for (name, text) in values { object[name] = .string(text) }
            sections[section] = .object(object)
        }
        return JSONValue.object(sections).jsonBytes()
    }
}

extension HTTPFailure {
    static let noSetting = HTTPFailure(.notFound, "not_found", "unknown_config_value")
}
