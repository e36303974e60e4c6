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
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let task = Task { try await OpenRequests.$current.withValue(number) { try await body() } }
        let isStale = state.withLock { state in
            state.entries[number] = Entry(principal: principal, task: task)
            return state.cuts != cuts
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

    /// Ends the answers to some members' requests, but for the one that asks for it.
    func cut(where isMeant: (Principal) -> Bool) {
        let tasks = state.withLock { state in
            state.cuts += 1
            return state.entries.filter { $0.key != OpenRequests.current && isMeant($0.value.principal) }
                .map(\.value.task)
        }
        for task in tasks { task.cancel() }
    }
}
