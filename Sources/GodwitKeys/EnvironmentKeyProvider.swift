//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Takes the key from a variable of the environment, for servers whose supervisor hands out secrets.
///
/// The system shows a process's environment to its user and to root (`/proc/PID/environ`), and programs that the process
/// starts inherit it.
public struct EnvironmentKeyProvider: KeyProvider {
    /// The variable's name.
    public let variable: String

    /// - Parameter variable: The name of a variable that holds 64 hexadecimal digits.
    public init(variable: String) {
        self.variable = variable
    }

    /// The variable's name, as a shell writes it.
    public var name: String { "$\(variable)" }

    /// The key, read anew from the environment.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` when the variable is absent or empty, ``KeyError/Code/invalidKey``
    ///   when it holds anything but 64 hexadecimal digits.
    public func key() async throws(KeyError) -> EncryptionKey {
        guard let value = getenv(variable), value.pointee != 0 else {
            throw KeyError(
                .noKey, "The variable \(variable) is not set. It should hold a key of 64 hexadecimal digits.")
        }
        return try EncryptionKey(
            digits: UnsafeRawBufferPointer(start: value, count: strlen(value)),
            from: "What the variable \(variable) holds")
    }
}
