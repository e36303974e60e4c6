//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A provider that reads the key from an environment variable, for servers whose supervisor supplies secrets.
///
/// The key is less protected than in other providers. The user of the process and root can read its environment
/// (`/proc/PID/environ`), and child processes inherit it.
public struct EnvironmentKeyProvider: KeyProvider {
    /// The variable's name.
    public let variable: String

    /// Creates a provider.
    ///
    /// - Parameter variable: The name of a variable that contains 64 hexadecimal digits.
    public init(variable: String) {
        self.variable = variable
    }

    /// The variable's name in shell syntax.
    public var name: String { "$\(variable)" }

    /// The key, read from the environment at each call.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if the variable is absent or empty, ``KeyError/Code/invalidKey``
    ///   if its value is not 64 hexadecimal digits.
    public func key() async throws(KeyError) -> EncryptionKey {
        guard let value = getenv(variable), value.pointee != 0 else {
            throw KeyError(
                .noKey, "The variable \(variable) is not set. Set it to a key of 64 hexadecimal digits.")
        }
        return try EncryptionKey(
            digits: UnsafeRawBufferPointer(start: value, count: strlen(value)),
            from: "The value of the variable \(variable)")
    }
}
