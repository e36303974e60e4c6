//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension EncryptionKey {
    /// The number of bytes by which sealed (encrypted) bytes are longer than the plain bytes.
    package static let tagBytes = SealedBytes.tagBytes

    /// Encrypts bytes with AES-GCM and a given nonce of 12 bytes. The nonce must never be used with this key again.
    package func seal(_ bytes: [UInt8], nonce: [UInt8]) throws(KeyError) -> [UInt8] {
        let sealed = bytes.withUnsafeBytes {
            SealedBytes.seal($0, key: wipedMemory, nonce: nonce, authenticating: [])
        }
        guard let sealed else { throw KeyError(.unavailable, "The system's cryptographic library failed.") }
        return sealed
    }

    /// Decrypts the result of ``seal(_:nonce:)``; `nil` if the bytes were not sealed with this key and nonce.
    package func open(_ sealed: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        SealedBytes.open(sealed, key: wipedMemory, nonce: nonce, authenticating: [])?.withBytes { Array($0) }
    }

    /// Encrypts a few bytes with AES-GCM and a random nonce. The result begins with the nonce, followed by the
    /// encrypted bytes.
    package func seal(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        let nonce = [UInt8].random(count: SealedBytes.nonceBytes)
        return try nonce + seal(bytes, nonce: nonce)
    }

    /// Decrypts the result of ``seal(_:)``; `nil` if the bytes were not sealed with this key.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        open(Array(sealed.dropFirst(SealedBytes.nonceBytes)), nonce: Array(sealed.prefix(SealedBytes.nonceBytes)))
    }
}
