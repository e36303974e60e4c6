//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CCrypto

/// Computes a digest of bytes that are added in parts.
///
/// ```swift
/// var digest = MessageDigest(.sha256)
/// digest.update(head)
/// digest.update(body)
/// let bytes = digest.finish()
/// ```
package struct MessageDigest: Sendable {
    /// The algorithm of a digest.
    package enum Algorithm: Sendable {
        /// SHA-256 (FIPS 180-4): 32 bytes.
        case sha256
        /// MD5 (RFC 1321): 16 bytes. It is not secure; CouchDB's protocol identifies attachments and checkpoints by it.
        case md5

        /// The length of a digest, in bytes.
        package var byteCount: Int { self == .sha256 ? 32 : 16 }

        /// The digest of bytes.
        package func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
            var digest = MessageDigest(self)
            digest.update(bytes)
            return digest.finish()
        }
    }

    private let algorithm: Algorithm
    /// The state; `nil` after ``finish()``.
    private var state: State?

    /// Creates a digest of no bytes.
    package init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        state = State(algorithm)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        ccrypto_digest_update(ownState().digest, bytes.baseAddress, bytes.count)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    /// Returns the digest. No bytes can be added after that.
    package mutating func finish() -> [UInt8] {
        let last = ownState()
        state = nil
        return [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
            ccrypto_digest_finish(last.digest, output.baseAddress)
            count = algorithm.byteCount
        }
    }

    /// The state, copied first if a copy of this digest shares it.
    private mutating func ownState() -> State {
        precondition(state != nil, "The digest is finished: no bytes can be added.")
        if !isKnownUniquelyReferenced(&state) { state = State(copying: state!) }
        return state!
    }

    /// The library's state.
    private final class State: @unchecked Sendable {
        // Proof of `Sendable`: a state changes only while one digest refers to it (`update`), and is copied otherwise.
        let digest: OpaquePointer

        init(_ algorithm: Algorithm) {
            digest = State.inMemory(ccrypto_digest_make(algorithm == .sha256 ? CCRYPTO_SHA256 : CCRYPTO_MD5))
        }

        init(copying other: State) {
            digest = State.inMemory(ccrypto_digest_copy(other.digest))
        }

        deinit { ccrypto_digest_free(digest) }

        private static func inMemory(_ digest: OpaquePointer?) -> OpaquePointer {
            guard let digest else {
                fatalError("The system's cryptographic library cannot create a digest: out of memory.")
            }
            return digest
        }
    }
}
