//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

// Each run of a replication limits its memory. A server can have hundreds of runs, and the sum of their limits exceeds
// the server's memory. If the memory were divided equally between the runs, the part of one run would be too small for
// a large document. Therefore, runs take bytes from a common pool before they read documents, and return the bytes when
// the documents are written. If a document is larger than expected, its additional bytes are taken without waiting,
// because a part of a document is useless. Therefore, each read in progress may exceed the limit by one document.

/// A pool of memory that replications share for documents in transfer. The memory of each owner's replications is also
/// limited.
package final class ReplicationMemory: Sendable {
    private struct Waiter {
        let id: Int
        let owner: String
        let bytes: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var used = 0
        var usedByOwner: [ExactText: Int] = [:]
        /// The waiters, the oldest first.
        var waiters: [Waiter] = []
        var lastID = 0

        mutating func add(_ bytes: Int, for owner: String) {
            used += bytes
            let owner = ExactText(owner)
            let ownerBytes = usedByOwner[owner, default: 0] + bytes
            usedByOwner[owner] = ownerBytes == 0 ? nil : ownerBytes
        }
    }

    private let bytesMax: Int
    private let ownerBytesMax: Int
    private let state = Mutex(State())

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - bytesMax: The maximum for all owners together, in bytes.
    ///   - ownerBytesMax: The maximum for one owner, in bytes.
    package init(bytesMax: Int, ownerBytesMax: Int) {
        self.bytesMax = bytesMax
        self.ownerBytesMax = ownerBytesMax
    }

    /// Waits until the pool has a number of free bytes, and takes them.
    ///
    /// - Returns: `false` if the task was cancelled. In that case, no bytes were taken.
    func take(_ bytes: Int, for owner: String) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isTaken: Bool? = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    guard hasCapacity(state, for: bytes, of: owner) else {
                        state.waiters.append(Waiter(id: id, owner: owner, bytes: bytes, continuation: continuation))
                        return nil
                    }
                    state.add(bytes, for: owner)
                    return true
                }
                if let isTaken { continuation.resume(returning: isTaken) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Takes bytes that are already in use, without waiting. If the number is negative, returns bytes to the pool.
    func add(_ bytes: Int, for owner: String) {
        guard bytes != 0 else { return }
        let served = state.withLock { state in
            state.add(bytes, for: owner)
            var served: [Waiter] = []
            while let index = nextWaiterIndex(state) {
                let waiter = state.waiters.remove(at: index)
                state.add(waiter.bytes, for: waiter.owner)
                served.append(waiter)
            }
            return served
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    private func hasCapacity(_ state: State, for bytes: Int, of owner: String) -> Bool {
        let ownerBytes = state.usedByOwner[ExactText(owner)] ?? 0
        return (state.used == 0 || state.used + bytes <= bytesMax)
            && (ownerBytes == 0 || ownerBytes + bytes <= ownerBytesMax)
    }

    /// The index of the waiter that gets its bytes next; `nil` if the free bytes suffice for no waiter. Of the waiters
    /// for which the free bytes suffice, this is the oldest waiter of the owner that has taken the fewest bytes.
    private func nextWaiterIndex(_ state: State) -> Int? {
        state.waiters.indices
            .filter { hasCapacity(state, for: state.waiters[$0].bytes, of: state.waiters[$0].owner) }
            .min { ownerBytes(state, $0) < ownerBytes(state, $1) }
    }

    private func ownerBytes(_ state: State, _ index: Int) -> Int {
        state.usedByOwner[ExactText(state.waiters[index].owner)] ?? 0
    }
}

/// The bytes that one run has taken from a ``ReplicationMemory``.
final class ReplicationShare: Sendable {
    private struct ShareState {
        /// The bytes taken for steps in progress.
        var steps: [ReplicationMachine.OperationID: Int] = [:]
        /// The number of bytes of documents that were read and are not written yet.
        var documents = 0
        var isEnded = false
    }

    private let memory: ReplicationMemory
    private let owner: String
    private let state = Mutex(ShareState())

    init(_ memory: ReplicationMemory, owner: String) {
        self.memory = memory
        self.owner = owner
    }

    /// Waits for the bytes of a step.
    ///
    /// - Throws: ``ReplicationError`` with the code `cancelled` if the task was cancelled.
    func take(_ bytes: Int, for step: ReplicationMachine.OperationID) async throws(ReplicationError) {
        guard await memory.take(bytes, for: owner) else {
            throw ReplicationError(.cancelled, "the replication was cancelled")
        }
        let isEnded = state.withLock { state in
            if !state.isEnded { state.steps[step] = bytes }
            return state.isEnded
        }
        if isEnded { memory.add(-bytes, for: owner) }
    }

    /// Records the number of bytes of documents in memory, and returns to the pool the bytes of a step that ended.
    func note(documents: Int, ended step: ReplicationMachine.OperationID?) {
        let change = state.withLock { state in
            defer { state.documents = documents }
            return documents - state.documents - (step.flatMap { state.steps.removeValue(forKey: $0) } ?? 0)
        }
        memory.add(change, for: owner)
    }

    /// Returns all bytes.
    func end() {
        let bytes = state.withLock { state in
            defer { state = ShareState(isEnded: true) }
            return state.documents + state.steps.values.reduce(0, +)
        }
        memory.add(-bytes, for: owner)
    }
}
