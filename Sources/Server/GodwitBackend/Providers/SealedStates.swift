//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase

/// Encrypts the states of logins with a key of this process, and remembers which states were used. The encrypted states
/// are stored by clients and not by this server. Therefore logins that are never finished need no memory.
final class SealedStates: Sendable {
    private let key = SymmetricKey(size: .bits256)
    private let used: UsedOnce

    /// Creates a key.
    ///
    /// - Parameter now: A closure that returns the time in seconds since 1970.
    init(now: @escaping @Sendable () -> Int) { used = UsedOnce(now: now) }

    /// Encrypts a state.
    func seal(_ bytes: [UInt8]) throws -> String {
        let box = try AES.GCM.seal(bytes, using: key)
        return Base64URL.encode(Array(box.nonce) + box.ciphertext + box.tag)
    }

    /// Decrypts a state without marking it as used; `nil` when the state is damaged, is too long, or was created by
    /// another process. The expiry is not checked.
    func open(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= BackendLimits.loginStateBytesMax, let bytes = Base64URL.decode(text),
            let box = try? AES.GCM.SealedBox(combined: bytes), let plain = try? AES.GCM.open(box, using: key)
        else { return nil }
        return Array(plain)
    }

    /// Marks a state as used.
    ///
    /// - Parameters:
    ///   - id: The state's id.
    ///   - expires: The time at which the state expires, in seconds since 1970.
    /// - Returns: Whether the login may continue: the state was not used before. The result is also `false` while the
    ///   memory for used states is full.
    func use(_ id: String, expires: Int) -> Bool { used.use(ExactText(id), expires: expires) }
}
