//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// The requests of applications' members that are being answered, so that they can be cut when rights are taken back: a
/// feed may stay open for days.
final class OpenRequests: Sendable {
    private struct Entry {
        let principal: Principal
        let task: Task<Void, any Error>
        var isSpared = false
    }

    private struct State {
        var nextNumber = 0
        var entries: [Int: Entry] = [:]
        /// Grows with each cut: who was let in before one and is noted after it is asked again.
        var cuts = 0
    }

    /// The number of the request that the task answers.
    @TaskLocal private static var current: Int?

    private let state = Mutex(State())

    /// How often requests were cut.
    var cuts: Int { state.withLock(\.cuts) }

    /// Answers a request of a member in a task that can be cut.
    ///
    /// - Parameters:
    ///   - cuts: ``cuts`` before the principal was let in.
    ///   - readmit: Lets the principal in again; throws when it may no longer.
    func answer(
        _ principal: Principal, admittedAt cuts: Int, readmit: () async throws -> Void,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (number, task, isStale) = state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            let task = Task { try await OpenRequests.$current.withValue(number) { try await body() } }
            state.entries[number] = Entry(principal: principal, task: task)
            return (number, task, state.cuts != cuts)
        }
        defer { state.withLock { _ = $0.entries.removeValue(forKey: number) } }
        try await withTaskCancellationHandler {
            if isStale {
                do {
                    try await readmit()
                } catch {
                    task.cancel()
                    throw error
                }
            }
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Lets the request that this task answers reach its end: it is the one that takes the rights back.
    func spareCurrent() {
        guard let current = OpenRequests.current else { return }
        state.withLock { $0.entries[current]?.isSpared = true }
    }

    /// Ends the answers to some members' requests.
    func cut(where isMeant: (Principal) -> Bool) {
        let tasks = state.withLock { state in
            state.cuts += 1
            return state.entries.values.filter { !$0.isSpared && isMeant($0.principal) }.map(\.task)
        }
        for task in tasks { task.cancel() }
    }
}
