//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase

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
        /// MD5 (RFC 1321): 16 bytes. MD5 is not secure. CouchDB's protocol identifies attachments and checkpoints by
        /// MD5.
        case md5
        /// SHA-1 (FIPS 180-4): 20 bytes. SHA-1 is not secure. The files of Cloudant Sync identify attachments by SHA-1.
        case sha1

        /// The length of a digest, in bytes.
        package var byteCount: Int {
            switch self {
            case .sha256: 32
            case .md5: 16
            case .sha1: 20
            }
        }

        fileprivate var code: ccrypto_algorithm {
            switch self {
            case .sha256: CCRYPTO_SHA256
            case .md5: CCRYPTO_MD5
            case .sha1: CCRYPTO_SHA1
            }
        }

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

    /// Adds bytes. The digest must not be finished.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        ccrypto_digest_update(uniqueState().digest, bytes.baseAddress, bytes.count)
    }

    /// Adds bytes. The digest must not be finished.
    package mutating func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    /// Returns the digest. After that, no bytes can be added, and `finish` must not be called again.
    package mutating func finish() -> [UInt8] {
        let finalState = uniqueState()
        state = nil
        return [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
            ccrypto_digest_finish(finalState.digest, output.baseAddress)
            count = algorithm.byteCount
        }
    }

    /// Returns the state. If a copy of this digest shares the state, the state is copied first.
    private mutating func uniqueState() -> State {
        precondition(state != nil, "The digest is finished: no bytes can be added.")
        if !isKnownUniquelyReferenced(&state) { state = State(copying: state!) }
        return state!
    }

    /// The library's state.
    private final class State: @unchecked Sendable {
        // Proof of `Sendable`: a state changes only while exactly one digest refers to it. If several digests refer to
        // it, `uniqueState` copies the state first.
        let digest: OpaquePointer

        init(_ algorithm: Algorithm) {
            digest = State.unwrap(ccrypto_digest_make(algorithm.code))
        }

        init(copying other: State) {
            digest = State.unwrap(ccrypto_digest_copy(other.digest))
        }

        deinit { ccrypto_digest_free(digest) }

        private static func unwrap(_ digest: OpaquePointer?) -> OpaquePointer {
            guard let digest else {
                fatalError("The system's cryptographic library cannot create a digest: out of memory.")
            }
            return digest
        }
    }
}
