//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A limit for the memory that requests use: one limit for all clients together, and one for each client.
package final class MemoryPool: Sendable {
    private struct State {
        var bytes = 0
        var bytesByOwner: [ExactText: Int] = [:]
    }

    /// The maximum number of bytes of all clients together.
    package let bytesMax: Int
    /// The maximum number of bytes of one client.
    package let ownerBytesMax: Int

    private let state = Mutex(State())

    /// Creates a pool with no bytes taken.
    package init(bytesMax: Int, ownerBytesMax: Int) {
        self.bytesMax = bytesMax
        self.ownerBytesMax = ownerBytesMax
    }

    /// The number of bytes that are taken now.
    package var bytesTaken: Int { state.withLock { $0.bytes } }

    fileprivate func take(_ bytes: Int, by owner: ExactText) throws(MemoryExhausted) {
        invariant(bytes >= 0, "no fewer than zero bytes are taken")
        try state.withLock { state throws(MemoryExhausted) in
            // A sum is computed only after it is known to be possible, because a client may announce any number of
            // bytes.
            guard bytes <= ownerBytesMax - state.bytesByOwner[owner, default: 0] else {
                throw MemoryExhausted(isOfOwner: true, bytesMax: ownerBytesMax)
            }
            guard bytes <= bytesMax - state.bytes else {
                throw MemoryExhausted(isOfOwner: false, bytesMax: bytesMax)
            }
            let ownerBytes = state.bytesByOwner[owner, default: 0] + bytes
            state.bytes += bytes
            state.bytesByOwner[owner] = ownerBytes
        }
    }

    fileprivate func release(_ bytes: Int, of owner: ExactText) {
        state.withLock { state in
            state.bytes -= bytes
            let ownerBytes = state.bytesByOwner[owner, default: 0] - bytes
            invariant(state.bytes >= 0 && ownerBytes >= 0, "no more bytes are returned than were taken")
            state.bytesByOwner[owner] = ownerBytes > 0 ? ownerBytes : nil
        }
    }
}

/// The memory that one request takes from a ``MemoryPool``. The memory is returned when the share is deallocated.
package final class MemoryShare: Sendable {
    private let pool: MemoryPool
    private let owner: ExactText
    private let takenBytes = Mutex(0)

    /// Creates a share with no bytes taken.
    ///
    /// - Parameter owner: The client to which the bytes are charged.
    package init(of pool: MemoryPool, owner: String) {
        self.pool = pool
        self.owner = ExactText(owner)
    }

    deinit {
        let bytes = bytes
        if bytes > 0 { pool.release(bytes, of: owner) }
    }

    /// The number of bytes that the share has taken.
    var bytes: Int { takenBytes.withLock { $0 } }

    /// Takes bytes from the pool.
    ///
    /// - Throws: ``MemoryExhausted`` if the limit of the client, or of all clients together, is reached.
    func take(_ bytes: Int) throws(MemoryExhausted) {
        try pool.take(bytes, by: owner)
        takenBytes.withLock { $0 += bytes }
    }
}

/// The error for a request that exceeds the memory limit.
package struct MemoryExhausted: Error, Equatable {
    /// Whether the limit of one client is reached. If it is `false`, the limit of all clients together is reached.
    package let isOfOwner: Bool
    /// The limit that is reached, in bytes.
    package let bytesMax: Int
}
