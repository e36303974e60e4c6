//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// How far an index is that is being brought up to date.
package struct IndexProgress: Sendable {
    package let index: IndexDescription
    /// The change at which it began, the one where it is, and the one that it goes to.
    package let from: Int64
    package internal(set) var sequence: Int64
    package let wanted: Int64
    /// When it began.
    package let began: Moment
}

/// The indexes that are being brought up to date outside of transactions: each by one task at a time.
///
/// The tasks take turns with the costly requests of clients, and with the builds of other databases. Who asks first does not
/// pay for the others: a build belongs to no request, has no budget of one and goes on without it.
final class IndexBuilds: Sendable {
    private struct State {
        var tasks: [Int64: Task<Void, any Error>] = [:]
        var progress: [Int64: IndexProgress] = [:]
        /// The indexes that could not be brought on when it was last tried.
        var failed: Set<Int64> = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let lane: WorkLane

    /// - Parameter path: The database's.
    init(of path: String) { lane = WorkLanes.shared.lane(of: "indexes of \(path)", takesAll: true) }

    /// What is under way.
    var progress: [IndexProgress] { state.withLock { $0.progress.values.sorted { $0.index.number < $1.index.number } } }

    /// Whether nothing is under way.
    var isQuiet: Bool { state.withLock { $0.tasks.isEmpty } }

    /// Brings an index on, or waits for the task that does it already. The build goes on when the caller is cancelled.
    ///
    /// - Throws: What the build throws; `CancellationError` at once when the caller is cancelled.
    func take(_ number: Int64, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = try state.withLock { state throws(StoreError) -> Task<Void, any Error> in
            if let task = state.tasks[number] { return task }
            guard !state.isStopped else { throw StoreError.closed }
            let task = Task.detached(executorPreference: lane) {
                defer { self.over(number) }
                try await body()
            }
            state.tasks[number] = task
            return task
        }
        // A cancelled task still waits for the value of another one; it does not wait for the end of a stream.
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        Task {
            _ = await task.result
            end.finish()
        }
        for await _ in ended {}
        try Task.checkCancellation()
        try await task.value
    }

    /// Whether an index could not be brought on when it was last tried. Then it is left until somebody asks for it: what
    /// fails costs time, and seldom goes better by itself.
    func hasFailed(_ number: Int64) -> Bool { state.withLock { $0.failed.contains(number) } }

    /// An index was brought on, or is a new one; or it could not be.
    func note(_ number: Int64, hasFailed: Bool) {
        state.withLock { state in
            if hasFailed { state.failed.insert(number) } else { state.failed.remove(number) }
        }
    }

    /// An index has come to a change.
    func note(_ index: IndexDescription, sequence: Int64, wanted: Int64) {
        state.withLock { state in
            let fresh = IndexProgress(index: index, from: sequence, sequence: sequence, wanted: wanted, began: .now)
            state.progress[index.number, default: fresh].sequence = sequence
        }
    }

    private func over(_ number: Int64) {
        state.withLock { state in
            state.tasks[number] = nil
            state.progress[number] = nil
        }
    }

    /// Ends what is under way and begins nothing more.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for task in tasks {
            task.cancel()
            _ = try? await task.value
        }
    }
}
