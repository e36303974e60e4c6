//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitThreads

// Each run limits its memory. A server runs hundreds of them, whose limits in sum exceed its memory; divided by their
// number, the limits would be too small for one document. So runs take bytes from a common pool before they read
// documents, and return them when the documents are written. A document that is larger than expected is counted without
// waiting, since half of a document is useless: each read in progress may exceed the limit by one document.

/// A pool of memory that replications share for documents in transfer. The part of each owner is limited too.
package final class ReplicationMemory: Sendable {
    private struct Waiter {
        let id: Int
        let owner: String
        let bytes: Int
        let next: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var used = 0
        var usedByOwner: [String: Int] = [:]
        /// The waiters, the oldest first.
        var waiters: [Waiter] = []
        var lastID = 0

        mutating func add(_ bytes: Int, for owner: String) {
            used += bytes
            let own = usedByOwner[owner, default: 0] + bytes
            usedByOwner[owner] = own == 0 ? nil : own
        }
    }

    private let bytesMax: Int
    private let ownerBytesMax: Int
    private let state = Mutex(State())

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - bytesMax: The maximum of all owners together, in bytes.
    ///   - ownerBytesMax: The maximum of one owner, in bytes.
    package init(bytesMax: Int, ownerBytesMax: Int) {
        self.bytesMax = bytesMax
        self.ownerBytesMax = ownerBytesMax
    }

    /// Waits for bytes and takes them.
    ///
    /// - Returns: `false` if the task was cancelled. Then no bytes were taken.
    func take(_ bytes: Int, for owner: String) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { next in
                let isTaken: Bool? = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    guard hasCapacity(state, for: bytes, of: owner) else {
                        state.waiters.append(Waiter(id: id, owner: owner, bytes: bytes, next: next))
                        return nil
                    }
                    state.add(bytes, for: owner)
                    return true
                }
                if let isTaken { next.resume(returning: isTaken) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.next.resume(returning: false)
        }
    }

    /// Adds bytes that are already in use, or returns bytes if the number is negative.
    func add(_ bytes: Int, for owner: String) {
        guard bytes != 0 else { return }
        let served = state.withLock { state in
            state.add(bytes, for: owner)
            var served: [Waiter] = []
            while let position = nextPlace(state) {
                let waiter = state.waiters.remove(at: position)
                state.add(waiter.bytes, for: waiter.owner)
                served.append(waiter)
            }
            return served
        }
        for waiter in served { waiter.next.resume(returning: true) }
    }

    private func hasCapacity(_ state: State, for bytes: Int, of owner: String) -> Bool {
        let own = state.usedByOwner[owner] ?? 0
        return (state.used == 0 || state.used + bytes <= bytesMax) && (own == 0 || own + bytes <= ownerBytesMax)
    }

    /// The position of the next waiter: among those that fit, the oldest waiter of the owner with the fewest bytes.
    private func nextPlace(_ state: State) -> Int? {
        state.waiters.indices
            .filter { hasCapacity(state, for: state.waiters[$0].bytes, of: state.waiters[$0].owner) }
            .min { own(state, $0) < own(state, $1) }
    }

    private func own(_ state: State, _ position: Int) -> Int { state.usedByOwner[state.waiters[position].owner] ?? 0 }
}

/// The bytes that one run has taken from a ``ReplicationMemory``.
final class ReplicationShare: Sendable {
    private struct Held {
        /// The bytes taken for steps in progress.
        var steps: [ReplicationMachine.OperationID: Int] = [:]
        /// The bytes of documents that were read and are not yet written.
        var documents = 0
        var isOver = false
    }

    private let memory: ReplicationMemory
    private let owner: String
    private let held = Mutex(Held())

    init(_ memory: ReplicationMemory, owner: String) {
        self.memory = memory
        self.owner = owner
    }

    /// Waits for the bytes of a step.
    func take(_ bytes: Int, for step: ReplicationMachine.OperationID) async throws(ReplicationError) {
        guard await memory.take(bytes, for: owner) else {
            throw ReplicationError(.cancelled, "the replication was cancelled")
        }
        let isOver = held.withLock { held in
            if !held.isOver { held.steps[step] = bytes }
            return held.isOver
        }
        if isOver { memory.add(-bytes, for: owner) }
    }

    /// Records the bytes of documents in memory, and returns the bytes of a step that ended.
    func note(documents: Int, ended step: ReplicationMachine.OperationID?) {
        let change = held.withLock { held in
            defer { held.documents = documents }
            return documents - held.documents - (step.flatMap { held.steps.removeValue(forKey: $0) } ?? 0)
        }
        memory.add(change, for: owner)
    }

    /// Returns all bytes.
    func end() {
        let bytes = held.withLock { held in
            defer { held = Held(isOver: true) }
            return held.documents + held.steps.values.reduce(0, +)
        }
        memory.add(-bytes, for: owner)
    }
}
