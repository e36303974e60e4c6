//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import GodwitStore

/// A stored password: PBKDF2 with HMAC-SHA-256, in the form in which CouchDB 3.4 keeps administrators.
struct PasswordHash: Sendable {
    /// Rounds for a new hash. (OWASP, Password Storage, 2023)
    static let iterations = 600_000

    /// Rounds above which a stored hash is refused, lest a login take for ever.
    static let iterationsMax = 10_000_000

    private static let keyBytes = 32

    /// As CouchDB writes it: hexadecimal digits, and as such it enters the derivation.
    private let salt: [UInt8]
    private let iterations: Int
    private let key: [UInt8]

    init(of password: String) {
        salt = Array((0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal.utf8)
        iterations = PasswordHash.iterations
        key = PasswordHash.derive(password, salt: salt, iterations: iterations)
    }

    /// Reads `-pbkdf2:sha256-key,salt,iterations`.
    init?(_ text: String) {
        guard text.hasPrefix(PasswordHash.prefix) else { return nil }
        let parts = text.dropFirst(PasswordHash.prefix.count).split(separator: ",")
        guard parts.count == 3, let key = [UInt8](hexadecimal: parts[0].utf8), let iterations = Int(parts[2]),
            1...PasswordHash.iterationsMax ~= iterations
        else { return nil }
        self.key = key
        self.salt = [UInt8](parts[1].utf8)
        self.iterations = iterations
    }

    private static let prefix = "-pbkdf2:sha256-"

    var description: String { "\(PasswordHash.prefix)\(key.hexadecimal),\(saltText),\(iterations)" }

    private var saltText: String { String(decoding: salt, as: UTF8.self) }

    /// Whether a password is the one that was stored. Takes the same time wherever the two differ.
    func matches(_ password: String) -> Bool {
        let candidate = PasswordHash.derive(password, salt: salt, iterations: iterations)
        return constantTimeEqual(candidate, key)
    }

    private static func derive(_ password: String, salt: [UInt8], iterations: Int) -> [UInt8] {
        let derived = try? KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: keyBytes,
            unsafeUncheckedRounds: iterations)
        return derived.map { $0.withUnsafeBytes { Array($0) } } ?? []
    }
}

/// Compares two byte strings in a time that depends on their lengths alone.
func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count, !left.isEmpty else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
