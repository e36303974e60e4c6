//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

extension EncryptionKey {
    /// Encrypts a short text with AES-GCM and a random nonce, which is stored before it.
    package func seal(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        let nonce = [UInt8].random(count: SealedBytes.nonceBytes)
        let sealed = bytes.withUnsafeBytes {
            SealedBytes.seal($0, key: wipedMemory, nonce: nonce, authenticating: [])
        }
        guard let sealed else { throw KeyError(.unavailable, "The system's cryptographic library failed.") }
        return nonce + sealed
    }

    /// Decrypts the result of ``seal(_:)``; `nil` if the bytes were not sealed with this key.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        SealedBytes.open(
            Array(sealed.dropFirst(SealedBytes.nonceBytes)), key: wipedMemory,
            nonce: Array(sealed.prefix(SealedBytes.nonceBytes)), authenticating: []
        )?.withBytes { Array($0) }
    }
}
