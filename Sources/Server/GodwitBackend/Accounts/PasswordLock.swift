//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore

// A login returns the password of the user's key. Therefore the server must be able to decrypt this password, but its
// disk must not contain the password in plain text. The password is encrypted with AES-GCM. PBKDF2 derives the key of
// this encryption from the user's password. A successful decryption also proves that the user's password is right, so
// that no hash of it is stored. The ciphertext is bound to its account: a copy of it in another account cannot be
// decrypted.

/// A secret encrypted with a password.
struct PasswordLock: Equatable, Sendable {
    private static let saltBytes = 16
    private static let keyBytes = 32

    /// The number of PBKDF2 rounds with HMAC-SHA-256.
    let iterations: Int
    private let salt: [UInt8]
    /// The nonce, the ciphertext and the tag.
    private let sealed: [UInt8]

    /// Encrypts a secret. This is intentionally slow: call it through `PasswordWork`.
    ///
    /// - Parameter binding: A text that identifies the account to which the ciphertext is bound.
    init(_ secret: String, password: String, iterations: Int, binding: String) throws {
        salt = .random(count: PasswordLock.saltBytes)
        self.iterations = iterations
        let key = try PasswordLock.key(password, salt, iterations)
        let box = try AES.GCM.seal(Array(secret.utf8), using: key, authenticating: Array(binding.utf8))
        sealed = Array(box.nonce) + box.ciphertext + box.tag
    }

    /// Creates a lock that no password opens. Trying a password takes as long as with a lock that contains a secret.
    init(ofUnknownUser iterations: Int) {
        self.iterations = iterations
        salt = [UInt8](repeating: 0, count: PasswordLock.saltBytes)
        sealed = []
    }

    /// Returns the secret; `nil` when the password is wrong. This is intentionally slow: call it through
    /// `PasswordWork`.
    func open(_ password: String, binding: String) -> String? {
        guard let key = try? PasswordLock.key(password, salt, iterations),
            let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Array(binding.utf8))
        else { return nil }
        return String(validating: Array(bytes), as: UTF8.self)
    }

    /// Returns the secret; `nil` when the password is wrong. Rejecting a password takes at least as long as opening a
    /// new lock. Therefore the response time does not reveal whether a name exists.
    ///
    /// - Parameter iterations: The number of rounds of a new lock.
    func open(_ password: String, binding: String, orCosts iterations: Int) -> String? {
        if let secret = open(password, binding: binding) { return secret }
        if self.iterations < iterations { _ = try? PasswordLock.key(password, salt, iterations - self.iterations) }
        return nil
    }

    private static func key(_ password: String, _ salt: [UInt8], _ iterations: Int) throws -> SymmetricKey {
        try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: keyBytes,
            unsafeUncheckedRounds: iterations)
    }
}

extension PasswordLock {
    /// The name of the scheme in a document.
    private static let scheme = "pbkdf2-sha256/aes-256-gcm"

    /// Parses a lock; `nil` when it is invalid or has another scheme.
    init?(_ value: JSONValue?) {
        guard let value, value["scheme"]?.stringValue == PasswordLock.scheme,
            let rounds = value["iterations"]?.intValue,
            (1...PasswordHash.iterationsMax).contains(rounds),
            let salt = value["salt"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) }),
            let sealed = value["sealed"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) })
        else { return nil }
        (iterations, self.salt, self.sealed) = (rounds, salt, sealed)
    }

    /// The stored form.
    var json: JSONValue {
        [
            "scheme": .string(PasswordLock.scheme), "iterations": .integer(Int64(iterations)),
            "salt": .string(salt.hexadecimal), "sealed": .string(sealed.hexadecimal),
        ]
    }
}
