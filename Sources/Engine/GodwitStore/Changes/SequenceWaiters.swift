//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Tasks that wait until a number increases.
///
/// A waiter uses one dictionary entry while it waits.
final class SequenceWaiters: Sendable {
    typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var number: Int64
        var isClosed = false
        var nextToken = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state: Mutex<State>

    init(at number: Int64) { state = Mutex(State(number: number)) }

    /// The number of waiters.
    var count: Int { state.withLock { $0.waiters.count } }

    /// The current number.
    var number: Int64 { state.withLock { $0.number } }

    /// Whether ``close()`` was called, which ends all waits.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits until the current number is above `number`.
    ///
    /// - Returns: `false` if the task was cancelled or ``close()`` was called.
    func wait(above number: Int64) async -> Bool {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate = state.withLock { state -> Bool? in
                    if state.isClosed || Task.isCancelled { return false }
                    if state.number > number { return true }
                    invariant(state.waiters[token] == nil, "a waiter has a token of its own")
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

    /// Increases the number.
    ///
    /// - Returns: The waiters. The caller must resume them with `true`.
    func advance(to number: Int64) -> [Waiter] {
        state.withLock { state in
            guard number > state.number else { return [] }
            state.number = number
            defer { state.waiters.removeAll(keepingCapacity: true) }
            return Array(state.waiters.values)
        }
    }

    /// Ends all waits with `false`.
    func close() {
        let woken = state.withLock { state -> [Waiter] in
            state.isClosed = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in woken { waiter.resume(returning: false) }
    }
}
