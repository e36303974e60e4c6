//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Configuration

/// Reads the values of options from environment variables, for example the value of `--data` from `GODWIT_DATA`.
package struct Settings {
    private let reader = ConfigReader(
        provider: EnvironmentVariablesProvider(secretsSpecifier: .specific(Settings.secrets)))

    /// Creates a reader of the environment of this process.
    package init() {}

    private static let secrets: Set<String> = [
        "GODWIT_ADMIN", "GODWIT_PASSWORD", "GODWIT_ENCRYPTION_KEY", "GODWIT_ENCRYPTION_PASSPHRASE",
        "GODWIT_NEW_ENCRYPTION_PASSPHRASE", "GODWIT_BACKUP_PASSPHRASE", "GODWIT_SOURCE_PASSPHRASE",
        "GODWIT_TARGET_PASSPHRASE", "GODWIT_SOURCE_ACCESS_KEY", "GODWIT_SOURCE_SECRET_KEY", "GODWIT_TARGET_ACCESS_KEY",
        "GODWIT_TARGET_SECRET_KEY", "GODWIT_NEW_PASSWORD", "GODWIT_CDT_PASSWORD",
    ]

    /// Returns a value; `nil` when it is missing or empty.
    package func string(_ name: String) -> String? {
        reader.string(forKey: ConfigKey(["godwit", name])).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a value that is a secret, and is therefore not shown in logs. An empty value is returned as it is; `nil`
    /// when the value is missing.
    package func secret(_ name: String) -> String? {
        reader.string(forKey: ConfigKey(["godwit", name]), isSecret: true)
    }

    /// Returns a value, parsed by the function that also parses the value of the option; `nil` when the value is
    /// missing or empty.
    ///
    /// - Throws: If `parse` throws a `ValidationError`, a `ValidationError` whose message also contains the name of the
    ///   variable. Other errors of `parse` are thrown unchanged.
    package func value<Value>(_ name: String, _ parse: (String) throws -> Value) throws -> Value? {
        guard let text = string(name) else { return nil }
        do {
            return try parse(text)
        } catch let error as ValidationError {
            throw ValidationError("The value '\(text)' is invalid for '\(Settings.variable(name))': \(error.message)")
        }
    }

    /// Returns the name of the environment variable of a value: `GODWIT_LOG_LEVEL` for `logLevel` or `log-level`.
    private static func variable(_ name: String) -> String {
        "GODWIT_" + name.map { $0 == "-" ? "_" : $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }
}
