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
    private let turns = Turns<String>()

    /// Reads what is kept; the first time it makes the secret of session cookies.
    ///
    /// - Parameter scripts: Who runs functions of design documents, which is told of their limits.
    init(keptBy manager: DatastoreManager, scripts: ScriptEngine?) async throws {
        var (state, options) = (State(), ServerOptions())
        let stored = try await manager.setting(ServerSettings.key).map { try JSONValue(parsing: $0) }
        for (section, values) in stored?.objectValue ?? [:] {
            for (name, value) in values.objectValue ?? [:] {
                guard let text = value.stringValue, let key = SettingKey.named(section, name) else { continue }
                guard key.write(&options, text) == nil else { continue }
                state.changed[section, default: [:]][name] = text
            }
        }
        state.options = Options(options)
        self.manager = manager
        self.scripts = scripts
        self.state = Mutex(state)
        if options.functions != FunctionRules() { setLimits(of: options.functions) }
        if options.secret.isEmpty {
            try await set(SettingKey.secret.section, SettingKey.secret.name, to: nil)
        }
    }

    /// What the settings say now.
    var options: Options { state.withLock(\.options) }

    /// Changes a setting; `nil` brings its default back.
    ///
    /// - Throws: ``HTTPFailure`` when there is no such setting or the value is none for it.
    func set(_ section: String, _ name: String, to text: String?) async throws {
        guard let key = SettingKey.named(section, name) else { throw HTTPFailure.noSetting(section, name) }
        try await turns.take("") {
            var (options, changed) = state.withLock { ($0.options.value, $0.changed) }
            if let complaint = key.write(&options, text ?? key.read(ServerOptions())) {
                throw HTTPFailure.badRequest("\(section)/\(name) \(complaint)")
            }
            // What was kept is what holds: a secret that is taken back is a new one.
            let isKept = text != nil || key.name == SettingKey.secret.name
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
    static func noSetting(_ section: String, _ name: String) -> HTTPFailure {
        HTTPFailure(
            .notFound, "not_found",
            "unknown_config_value: there is no setting \(section)/\(name). GET /_node/_local/_config lists those that are."
        )
    }
}
