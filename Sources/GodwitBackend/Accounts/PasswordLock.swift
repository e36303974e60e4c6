//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import GodwitBytes
import GodwitJSON
import GodwitServer
import GodwitStore

// A login gives out the password of the user's key, so the server must be able to tell it, and its disk must not. It is
// sealed by AES-GCM under a key that PBKDF2 derives of the user's own password: who knows that one opens the seal, which
// proves the password too, and no hash of it is kept beside. What is sealed is bound to the account and the key, so that
// a seal that is moved to another account opens nothing.

/// A secret that a password opens.
struct PasswordLock: Equatable, Sendable {
    private static let saltBytes = 16
    private static let keyBytes = 32

    /// Rounds of PBKDF2 with HMAC-SHA-256.
    let iterations: Int
    private let salt: [UInt8]
    /// Nonce, sealed text and tag.
    private let sealed: [UInt8]

    /// Seals a secret. Slow by intent: call it through `PasswordWork`.
    ///
    /// - Parameter binding: What the seal belongs to.
    init(_ secret: String, password: String, iterations: Int, binding: String) throws {
        salt = .random(count: PasswordLock.saltBytes)
        self.iterations = iterations
        let key = try PasswordLock.key(password, salt, iterations)
        let box = try AES.GCM.seal(Array(secret.utf8), using: key, authenticating: Array(binding.utf8))
        sealed = Array(box.nonce) + box.ciphertext + box.tag
    }

    /// A lock that no password opens and that takes as long to try.
    init(ofNobody iterations: Int) {
        self.iterations = iterations
        salt = [UInt8](repeating: 0, count: PasswordLock.saltBytes)
        sealed = []
    }

    /// The secret; `nil` when the password is wrong. Slow by intent.
    func open(_ password: String, binding: String) -> String? {
        guard let key = try? PasswordLock.key(password, salt, iterations),
            let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Array(binding.utf8))
        else { return nil }
        return String(validating: Array(bytes), as: UTF8.self)
    }

    /// The secret; `nil` when the password is wrong, which costs as much as a new seal, however old this one is: the time of
    /// the answer does not tell which names there are.
    ///
    /// - Parameter iterations: Rounds of a new seal.
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
    /// The scheme's name in a document.
    private static let scheme = "pbkdf2-sha256/aes-256-gcm"

    /// Reads a lock; `nil` for anything else.
    init?(_ value: JSONValue?) {
        guard let value, value["scheme"]?.stringValue == PasswordLock.scheme,
            let rounds = value["iterations"]?.intValue,
            (1...PasswordHash.iterationsMax).contains(rounds),
            let salt = value["salt"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) }),
            let sealed = value["sealed"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) })
        else { return nil }
        (iterations, self.salt, self.sealed) = (rounds, salt, sealed)
    }

    /// The lock as it is kept.
    var json: JSONValue {
        [
            "scheme": .string(PasswordLock.scheme), "iterations": .integer(Int64(iterations)),
            "salt": .string(salt.hexadecimal), "sealed": .string(sealed.hexadecimal),
        ]
    }
}
