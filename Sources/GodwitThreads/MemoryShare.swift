//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A limit of the memory that requests use, in total and for each client.
package final class MemoryPool: Sendable {
    private struct State {
        var bytes = 0
        var bytesByOwner: [String: Int] = [:]
    }

    /// The largest number of bytes of all clients together (`bytesMax`) and of one client (`ownerBytesMax`).
    package let bytesMax: Int
    package let ownerBytesMax: Int

    private let state = Mutex(State())

    /// Creates a pool with no bytes taken.
    package init(bytesMax: Int, ownerBytesMax: Int) {
        self.bytesMax = bytesMax
        self.ownerBytesMax = ownerBytesMax
    }

    /// The number of bytes that are taken now.
    package var bytesTaken: Int { state.withLock { $0.bytes } }

    fileprivate func take(_ bytes: Int, by owner: String) throws(MemoryExhausted) {
        try state.withLock { state throws(MemoryExhausted) in
            let own = state.bytesByOwner[owner, default: 0] + bytes
            guard own <= ownerBytesMax else { throw MemoryExhausted(isOfOwner: true, bytesMax: ownerBytesMax) }
            guard state.bytes + bytes <= bytesMax else { throw MemoryExhausted(isOfOwner: false, bytesMax: bytesMax) }
            state.bytes += bytes
            state.bytesByOwner[owner] = own
        }
    }

    fileprivate func release(_ bytes: Int, of owner: String) {
        state.withLock { state in
            state.bytes -= bytes
            let own = state.bytesByOwner[owner, default: 0] - bytes
            state.bytesByOwner[owner] = own > 0 ? own : nil
        }
    }
}

/// The memory that one request takes from a ``MemoryPool``. It is returned when the share is deallocated.
package final class MemoryShare: Sendable {
    private let pool: MemoryPool
    private let owner: String
    private let taken = Mutex(0)

    /// Creates a share with no bytes taken.
    ///
    /// - Parameter owner: The client to which the bytes are charged.
    package init(of pool: MemoryPool, owner: String) {
        self.pool = pool
        self.owner = owner
    }

    deinit {
        let bytes = bytes
        if bytes > 0 { pool.release(bytes, of: owner) }
    }

    /// The number of bytes that the share has taken.
    var bytes: Int { taken.withLock { $0 } }

    func take(_ bytes: Int) throws(MemoryExhausted) {
        try pool.take(bytes, by: owner)
        taken.withLock { $0 += bytes }
    }
}

/// The error for a request that exceeds the memory limit.
package struct MemoryExhausted: Error, Equatable {
    /// Whether the limit of one client is reached; otherwise the limit of all clients together.
    package let isOfOwner: Bool
    package let bytesMax: Int
}
