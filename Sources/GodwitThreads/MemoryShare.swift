//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Memory that requests hold together, and how much of it each client holds.
package final class MemoryPool: Sendable {
    private struct State {
        var bytes = 0
        var bytesByOwner: [String: Int] = [:]
    }

    /// Bytes of all clients together, and of one of them.
    package let bytesMax: Int
    package let ownerBytesMax: Int

    private let state = Mutex(State())

    /// Creates a pool of which nothing is taken.
    package init(bytesMax: Int, ownerBytesMax: Int) {
        self.bytesMax = bytesMax
        self.ownerBytesMax = ownerBytesMax
    }

    /// Bytes that are taken now.
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

    fileprivate func giveBack(_ bytes: Int, of owner: String) {
        state.withLock { state in
            state.bytes -= bytes
            let own = state.bytesByOwner[owner, default: 0] - bytes
            state.bytesByOwner[owner] = own > 0 ? own : nil
        }
    }
}

/// What one request holds of a ``MemoryPool``. It is given back when the share is released.
package final class MemoryShare: Sendable {
    private let pool: MemoryPool
    private let owner: String
    private let taken = Mutex(0)

    /// Creates a share that holds nothing.
    ///
    /// - Parameter owner: The client for which it is counted.
    package init(of pool: MemoryPool, owner: String) {
        self.pool = pool
        self.owner = owner
    }

    deinit {
        let bytes = bytes
        if bytes > 0 { pool.giveBack(bytes, of: owner) }
    }

    /// Bytes that it holds.
    var bytes: Int { taken.withLock { $0 } }

    func take(_ bytes: Int) throws(MemoryExhausted) {
        try pool.take(bytes, by: owner)
        taken.withLock { $0 += bytes }
    }
}

/// The requests that are under way hold as much memory as they may.
package struct MemoryExhausted: Error, Equatable {
    /// Whether it is one client's limit; otherwise that of all together.
    package let isOfOwner: Bool
    package let bytesMax: Int
}
