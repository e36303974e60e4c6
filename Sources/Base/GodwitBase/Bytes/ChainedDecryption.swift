//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase

/// Decrypts AES-256-CBC with the padding of PKCS #7, in parts. The mode has no authentication code, so the caller must
/// compare the digest of the result with a known digest.
package final class ChainedDecryption {
    /// The length of an initialization vector, in bytes.
    package static let vectorBytes = Int(CCRYPTO_CBC_BLOCK_BYTES)

    /// The error that the padding at the end is invalid. The key is wrong, or bytes are damaged or missing.
    package struct DamagedPadding: Error {}

    private let state: OpaquePointer

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - vector: ``vectorBytes`` bytes.
    package init(key: UnsafeRawBufferPointer, vector: [UInt8]) {
        precondition(key.count == Int(CCRYPTO_CBC_KEY_BYTES) && vector.count == ChainedDecryption.vectorBytes)
        guard let state = ccrypto_cbc_make(key.assumingMemoryBound(to: UInt8.self).baseAddress, vector) else {
            fatalError("The system's cryptographic library cannot create a cipher: out of memory.")
        }
        self.state = state
    }

    deinit { ccrypto_cbc_free(state) }

    /// Adds a part, and returns the bytes that can now be decrypted.
    package func update(_ bytes: [UInt8]) throws(DamagedPadding) -> [UInt8] {
        try output(bytes.count + ChainedDecryption.vectorBytes) { ccrypto_cbc_update(state, bytes, bytes.count, $0) }
    }

    /// Returns the last bytes. After that, no other method may be called.
    package func finish() throws(DamagedPadding) -> [UInt8] {
        try output(ChainedDecryption.vectorBytes) { ccrypto_cbc_finish(state, $0) }
    }

    private func output(
        _ capacity: Int, _ decrypt: (UnsafeMutablePointer<UInt8>?) -> Int
    ) throws(DamagedPadding) -> [UInt8] {
        var isDone = true
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let written = decrypt(buffer.baseAddress)
            isDone = written >= 0
            count = max(0, written)
        }
        guard isDone else { throw DamagedPadding() }
        return bytes
    }
}
