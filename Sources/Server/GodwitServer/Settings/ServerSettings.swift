//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes

/// The settings of a server, stored with the databases. A change takes effect at once.
final class ServerSettings: Sendable {
    private static let storageKey = "settings"

    /// The options at one time. This type is a class, because each request gets the options: to copy a reference is
    /// faster than to copy twenty strings.
    @dynamicMemberLookup
    final class Options: Sendable {
        let value: ServerOptions

        init(_ value: ServerOptions) { self.value = value }

        subscript<Value>(dynamicMember path: KeyPath<ServerOptions, Value>) -> Value { value[keyPath: path] }
    }

    /// Values of settings, keyed by section and name.
    typealias StoredValues = [ExactText: [ExactText: String]]

    private struct State {
        var options = Options(ServerOptions())
        /// The values of the stored settings, keyed by section and name. They include settings that this server does
        /// not use.
        var storedValues: StoredValues = [:]
    }

    private let manager: DatastoreManager
    /// The options without stored settings.
    private let defaults: ServerOptions
    /// The engine that runs functions of design documents; `nil` if functions cannot run.
    private let scripts: ScriptEngine?
    private let state: Mutex<State>
    /// Allows only one change at a time. Each change is stored before it takes effect.
    private let lock = KeyedAsyncLock<String>()

    /// Reads the stored settings. If the secret of session cookies or the server's id is empty, generates and stores a
    /// new value.
    ///
    /// A stored value that is not valid is ignored. The next change of a setting removes the invalid value from the
    /// storage.
    ///
    /// - Parameters:
    ///   - manager: The manager of the databases. The settings change its limits.
    ///   - limits: The limits that hold without stored settings.
    ///   - scripts: The engine that runs functions of design documents. The settings change its limits.
    init(keptBy manager: DatastoreManager, limits: ServerLimits, scripts: ScriptEngine?) async throws {
        var state = State()
        var options = ServerOptions()
        options.documentBytesMax = manager.limits.bodyBytesMax
        options.requestBytesMax = limits.requestBytesMax
        defaults = options
        let stored = try await manager.setting(ServerSettings.storageKey).map { try JSONValue(parsing: $0) }
        for (section, values) in stored?.objectValue ?? [:] {
            for (name, value) in values.objectValue ?? [:] {
                guard let text = value.stringValue else { continue }
                if let key = SettingKey.named(section, name), key.write(&options, text) != nil { continue }
                state.storedValues[ExactText(section), default: [:]][ExactText(name)] = text
            }
        }
        state.options = Options(options)
        self.manager = manager
        self.scripts = scripts
        self.state = Mutex(state)
        apply(options, insteadOf: defaults)
        for key in SettingKey.made where key.read(options).isEmpty {
            try await set(key, to: nil)
        }
    }

    /// The current options.
    var options: Options { state.withLock { $0.options } }

    /// The value of a setting as it was written, or its default.
    func text(of key: SettingKey) -> String {
        state.withLock { $0.storedValues[ExactText(key.section)]?[ExactText(key.name)] ?? key.read($0.options.value) }
    }

    /// The stored settings that this server does not use, keyed by section and name.
    var withoutEffect: StoredValues {
        state.withLock { $0.storedValues }.reduce(into: [:]) { unused, section in
            let values = section.value.filter { SettingKey.named(section.key.text, $0.key.text) == nil }
            if !values.isEmpty { unused[section.key] = values }
        }
    }

    /// Stores a setting that this server does not use. If the text is `nil`, the setting is removed.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 when the setting to remove is not stored. The status is 400 when the
    ///   section is ``SettingKey/tokenKeys``, and when the server would store too many settings. Also throws errors of
    ///   storing.
    func keep(_ section: String, _ name: String, as text: String?) async throws {
        guard section != SettingKey.tokenKeys else {
            throw HTTPFailure.badRequest("\(section)/\(name) must be named hmac:NAME, rsa:NAME or ec:NAME")
        }
        try await lock.withLock("") {
            var storedValues = state.withLock { $0.storedValues }
            let (section, name) = (ExactText(section), ExactText(name))
            guard text != nil || storedValues[section]?[name] != nil else { throw HTTPFailure.noSetting }
            storedValues[section, default: [:]][name] = text
            guard storedValues.values.reduce(0, { $0 + $1.count }) <= ServerLimits.settingsMax else {
                throw HTTPFailure.badRequest(
                    "The server stores at most \(ServerLimits.settingsMax) settings. Delete some.")
            }
            try await manager.setSetting(ServerSettings.storageKey, to: ServerSettings.stored(storedValues))
            state.withLock { $0.storedValues = storedValues }
        }
    }

    /// Changes a setting. If the text is `nil`, the setting is reset to its default. For the settings in
    /// ``SettingKey/made``, the default is a new random value.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the value is not valid; errors of storing.
    func set(_ key: SettingKey, to text: String?) async throws {
        let (section, name) = (key.section, key.name)
        try await lock.withLock("") {
            var (options, storedValues) = state.withLock { ($0.options.value, $0.storedValues) }
            if let complaint = key.write(&options, text ?? key.read(defaults)) {
                throw HTTPFailure.badRequest("\(section)/\(name) \(complaint)")
            }
            // A value is stored as it was written. However, when the secret or the server's id is removed, a new value
            // is generated, and this value must be stored.
            let isMade = SettingKey.made.contains {
                $0.name.isIdenticalText(to: key.name) && $0.section.isIdenticalText(to: key.section)
            }
            storedValues[ExactText(key.section), default: [:]][ExactText(key.name)] = isMade ? key.read(options) : text
            try await manager.setSetting(ServerSettings.storageKey, to: ServerSettings.stored(storedValues))
            let previous = state.withLock { state in
                defer { (state.options, state.storedValues) = (Options(options), storedValues) }
                return state.options
            }
            apply(options, insteadOf: previous.value)
        }
    }

    /// Gives changed limits to the manager and to the engine of functions.
    private func apply(_ options: ServerOptions, insteadOf previous: ServerOptions) {
        if options.documentBytesMax != previous.documentBytesMax {
            manager.setBodyBytesMax(options.documentBytesMax)
        }
        if options.functions != previous.functions, let scripts {
            scripts.setLimits(options.functions.limits(scripts.limits))
        }
    }

    private static func stored(_ storedValues: StoredValues) -> [UInt8] {
        var sections = JSONObject()
        for (section, values) in storedValues {
            var object = JSONObject()
            for (name, text) in values { object[name.text] = .string(text) }
            sections[section.text] = .object(object)
        }
        return JSONValue.object(sections).jsonBytes()
    }
}

extension HTTPFailure {
    static let noSetting = HTTPFailure(.notFound, "not_found", "unknown_config_value")
}
