//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Computes keyed digests, which prove that a message comes from an owner of the key (HMAC, RFC 2104).
package enum MessageAuthentication {
    /// The length of a block of SHA-256, in bytes.
    private static let blockBytes = 64

    /// The HMAC-SHA-256 of a message: 32 bytes.
    package static func sha256(_ message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        var block = key.count > blockBytes ? MessageDigest.Algorithm.sha256.digest(of: key) : Array(key)
        block += [UInt8](repeating: 0, count: blockBytes - block.count)
        var inner = MessageDigest(.sha256)
        inner.update(block.map { $0 ^ 0x36 })
        inner.update(message)
        var outer = MessageDigest(.sha256)
        outer.update(block.map { $0 ^ 0x5c })
        outer.update(inner.finish())
        return outer.finish()
    }
}
