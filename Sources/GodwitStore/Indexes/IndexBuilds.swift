//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// The progress of an index that is being updated.
package struct IndexProgress: Sendable {
    /// The index, as it was when the build began.
    package let index: IndexDescription
    /// The sequence at which the build began.
    package let from: Int64
    /// The last sequence that the index contains.
    package internal(set) var sequence: Int64
    /// The sequence at which the build will end.
    package let wanted: Int64
    /// The time when the build began.
    package let began: Moment
}

/// Runs those builds of indexes that take place outside of write transactions. For each index, one task runs at a time.
///
/// The tasks share threads fairly with the costly requests of clients and with the builds of other databases. A build
/// does not belong to a request. Therefore, it does not use the work budget of a request, and it continues if the
/// caller that started it is cancelled.
final class IndexBuilds: Sendable {
    private struct State {
        var tasks: [Int64: Task<Void, any Error>] = [:]
        var progress: [Int64: IndexProgress] = [:]
        /// The indexes whose last build failed.
        var failed: Set<Int64> = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let lane: WorkLane
    private let database: String
    private let journal: WorkJournal

    /// Creates a list without builds.
    ///
    /// - Parameters:
    ///   - database: The name of the database.
    ///   - path: The path of the database's file.
    ///   - journal: The journal that records the builds.
    init(of database: String, path: String, journal: WorkJournal) {
        lane = WorkLanes.shared.lane(of: "indexes of \(path)", takesAll: true)
        (self.database, self.journal) = (database, journal)
    }

    /// Identifies the build of an index. An index whose definition changes has another number.
    private func work(_ index: IndexDescription) -> BackgroundWorkID {
        BackgroundWorkID(.index, "\(database) \(index.design)/\(index.name) \(index.number)")
    }

    /// The progress of the active builds.
    var progress: [IndexProgress] { state.withLock { $0.progress.values.sorted { $0.index.number < $1.index.number } } }

    /// Whether no build is active.
    var isQuiet: Bool { state.withLock { $0.tasks.isEmpty } }

    /// Runs a build of an index, or waits for the active build of this index. The build continues if the caller is
    /// cancelled.
    ///
    /// - Throws: The error of the build; ``StoreError`` with code ``StoreError/Code/workHeld``; `CancellationError` at
    ///   once if the caller is cancelled.
    func take(_ index: IndexDescription, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let (number, work) = (index.number, work(index))
        let task = try state.withLock { state throws(StoreError) -> Task<Void, any Error> in
            if let task = state.tasks[number] { return task }
            guard !state.isStopped else { throw StoreError.closed }
            let task = Task.detached(executorPreference: lane) {
                defer { self.removeTask(number) }
                try await self.journal.run(work, body)
            }
            state.tasks[number] = task
            return task
        }
        // A stream is used, because iterating a stream ends when the task is cancelled. Awaiting the value of another
        // task does not end then.
        let (finished, continuation) = AsyncStream.makeStream(of: Never.self)
        Task {
            _ = await task.result
            continuation.finish()
        }
        for await _ in finished {}
        try Task.checkCancellation()
        try await task.value
    }

    /// Whether the last build of an index failed. Such an index is built only on demand, because a repeated build costs
    /// time and usually fails again.
    func hasFailed(_ number: Int64) -> Bool { state.withLock { $0.failed.contains(number) } }

    /// Records whether the last build of an index failed.
    func note(_ number: Int64, hasFailed: Bool) {
        state.withLock { state in
            if hasFailed { state.failed.insert(number) } else { state.failed.remove(number) }
        }
    }

    /// Records the progress of an index. The first call for a build records its start.
    func note(_ index: IndexDescription, sequence: Int64, wanted: Int64) {
        state.withLock { state in
            let newProgress = IndexProgress(
                index: index, from: sequence, sequence: sequence, wanted: wanted, began: .now)
            state.progress[index.number, default: newProgress].sequence = sequence
        }
    }

    private func removeTask(_ number: Int64) {
        state.withLock { state in
            state.tasks[number] = nil
            state.progress[number] = nil
        }
    }

    /// Cancels the active builds, waits for them, and rejects new builds.
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
