//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitKeys

// The file of an encrypted object begins with a random salt. The key of the file is the HMAC of the salt with the
// storage's key. Therefore each file has its own key. The nonces are only counters, but no nonce is used twice with the
// same key. The bytes follow in chunks of 64 KiB, each sealed with AES-256-GCM. The nonce contains the number of the
// chunk, and a flag for the last chunk. Therefore a reader detects chunks in a wrong order, and also a file whose end
// is missing.

/// Encrypts and decrypts the chunks of one file.
struct SealedChunks: Sendable {
    static let saltBytes = 32
    /// The number of bytes of a complete chunk in the file.
    static let chunkBytes = ObjectLimits.sealedBytes + EncryptionKey.tagBytes

    private let key: EncryptionKey

    /// - Parameters:
    ///   - storageKey: The key of the storage.
    ///   - salt: The first bytes of the file.
    init(_ storageKey: EncryptionKey, salt: [UInt8]) throws {
        key = try EncryptionKey(
            bytes: storageKey.withBytes { MessageAuthentication.sha256(Array("file".utf8) + salt, key: $0) })
    }

    /// Returns the size of the file of an object.
    static func fileBytes(of byteCount: Int) -> Int {
        saltBytes + byteCount + chunkCount(of: byteCount) * EncryptionKey.tagBytes
    }

    /// Returns the number of chunks of an object. An empty object has one chunk.
    static func chunkCount(of byteCount: Int) -> Int {
        max(1, (byteCount + ObjectLimits.sealedBytes - 1) / ObjectLimits.sealedBytes)
    }

    /// Returns the position of a chunk in the file.
    static func offset(of chunk: Int) -> Int { saltBytes + chunk * chunkBytes }

    func seal(_ bytes: [UInt8], chunk: Int, isLast: Bool) throws -> [UInt8] {
        // The reader computes the position of a chunk from its number.
        invariant(
            bytes.count == ObjectLimits.sealedBytes || isLast && bytes.count < ObjectLimits.sealedBytes,
            "only the last chunk of a file is shorter")
        invariant(chunk >= 0, "the chunks of a file are numbered from 0")
        return try key.seal(bytes, nonce: nonce(chunk, isLast))
    }

    /// Returns the plain bytes of a chunk; `nil` if it is damaged.
    func open(_ sealed: [UInt8], chunk: Int, isLast: Bool) -> [UInt8]? {
        key.open(sealed, nonce: nonce(chunk, isLast))
    }

    private func nonce(_ chunk: Int, _ isLast: Bool) -> [UInt8] {
        withUnsafeBytes(of: UInt64(clamping: chunk).bigEndian) { Array($0) } + [0, 0, 0, isLast ? 1 : 0]
    }
}
