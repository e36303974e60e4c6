//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Configuration

/// Reads the values of options from the environment: `GODWIT_DATA` for `--data`, and so on.
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

    /// Returns a value that is a secret, and is therefore not shown in logs; `nil` when it is missing, but not when it
    /// is empty.
    package func secret(_ name: String) -> String? {
        reader.string(forKey: ConfigKey(["godwit", name]), isSecret: true)
    }

    /// Returns a value, parsed by the same function as its option; `nil` when it is missing or empty.
    ///
    /// - Throws: When `parse` throws a `ValidationError`, one with the variable's name and that error's message; other
    ///   errors of `parse` unchanged.
    package func value<Value>(_ name: String, _ parse: (String) throws -> Value) throws -> Value? {
        guard let text = string(name) else { return nil }
        do {
            return try parse(text)
        } catch let error as ValidationError {
            throw ValidationError("The value '\(text)' is invalid for '\(Settings.variable(name))': \(error.message)")
        }
    }

    /// Returns the name of the environment variable of a value: `GODWIT_LOG_LEVEL` for `logLevel`.
    private static func variable(_ name: String) -> String {
        "GODWIT_" + name.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }
}
