//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Wakes those who wait for the next change of one database.
///
/// A waiter costs one dictionary entry while it waits and nothing otherwise. A commit wakes all waiters at once; they
/// read what changed from the file, each at its own pace, so a slow one holds nobody up and nothing is queued for it.
final class ChangeHub: Sendable {
    private struct State {
        var current: DatabaseState
        var isClosed = false
        var nextToken = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: Mutex<State>

    init(_ current: DatabaseState) { state = Mutex(State(current: current)) }

    /// The counters as of the last commit.
    var current: DatabaseState { state.withLock(\.current) }

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Publishes the counters of a commit that is durable.
    func publish(_ committed: DatabaseState) {
        let woken = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            let hasChanges = committed.sequence > state.current.sequence
            state.current = committed
            guard hasChanges else { return [] }
            defer { state.waiters.removeAll(keepingCapacity: true) }
            return Array(state.waiters.values)
        }
        for waiter in woken { waiter.resume(returning: true) }
    }

    /// Waits until there is a change after `sequence`.
    ///
    /// - Returns: `false` when the task was cancelled or the datastore closed instead.
    func wait(after sequence: Int64) async -> Bool {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate = state.withLock { state -> Bool? in
                    if state.current.sequence > sequence { return true }
                    if state.isClosed || Task.isCancelled { return false }
                    state.waiters[token] = continuation
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: token) }
            waiter?.resume(returning: false)
        }
    }

    /// Ends all waiting.
    func close() {
        let woken = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            state.isClosed = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in woken { waiter.resume(returning: false) }
    }
}
