//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SystemLibraries
    import CBase
#else
    import Crypto
#endif

/// Encrypts and decrypts with AES-256-GCM (NIST SP 800-38D). The tag follows the encrypted bytes.
enum SealedBytes {
    static let nonceBytes = 12
    static let tagBytes = 16

    /// Encrypts bytes and authenticates additional bytes; `nil` if the system's library fails.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never used with the key before.
    static func seal(
        _ bytes: UnsafeRawBufferPointer, key: WipedMemory, nonce: [UInt8], authenticating others: [UInt8]
    ) -> [UInt8]? {
        #if SystemLibraries
            precondition(nonce.count == nonceBytes, "A nonce must have \(nonceBytes) bytes.")
            var sealed = [UInt8](repeating: 0, count: bytes.count + tagBytes)
            let isSealed = key.withBytes { key in
                ccrypto_gcm_seal(
                    key.baseAddress, nonce, others, others.count, bytes.baseAddress, bytes.count, &sealed)
            }
            return isSealed ? sealed : nil
        #else
            let box = try? key.withBytes { key in
                try AES.GCM.seal(
                    bytes, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce), authenticating: others)
            }
            return box.map { Array($0.ciphertext + $0.tag) }
        #endif
    }

    /// Decrypts the result of ``seal(_:key:nonce:authenticating:)``; `nil` if the bytes were sealed with another key,
    /// nonce or additional bytes, or were changed.
    static func open(
        _ sealed: [UInt8], key: WipedMemory, nonce: [UInt8], authenticating others: [UInt8]
    ) -> WipedMemory? {
        guard sealed.count >= tagBytes, nonce.count == nonceBytes else { return nil }
        #if SystemLibraries
            var isAuthentic = false
            let bytes = WipedMemory(byteCount: sealed.count - tagBytes) { bytes in
                isAuthentic = key.withBytes { key in
                    ccrypto_gcm_open(
                        key.baseAddress, nonce, others, others.count, sealed, sealed.count,
                        bytes.bindMemory(to: UInt8.self).baseAddress)
                }
            }
            return isAuthentic ? bytes : nil
        #else
            let bytes = try? key.withBytes { key in
                try AES.GCM.open(
                    AES.GCM.SealedBox(
                        nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed.dropLast(tagBytes),
                        tag: sealed.suffix(tagBytes)),
                    using: SymmetricKey(data: key), authenticating: others)
            }
            return bytes.map { bytes in WipedMemory(byteCount: bytes.count) { $0.copyBytes(from: bytes) } }
        #endif
    }
}
