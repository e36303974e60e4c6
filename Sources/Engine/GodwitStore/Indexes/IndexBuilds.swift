//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

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
    private struct Build {
        /// The state of the database before the build read it for the first time.
        let began: DatabaseState
        let task: Task<Void, any Error>
    }

    private struct State {
        var active: [Int64: Build] = [:]
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
    var isQuiet: Bool { state.withLock { $0.active.isEmpty } }

    /// Runs a build of an index, or waits for the active build of this index. The build continues if the caller is
    /// cancelled. The failure of a build that began before changes that the caller must see says nothing about these
    /// changes. Therefore, such a failure is followed by another build.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - state: Returns the current state of the database.
    ///   - body: Builds the index.
    /// - Throws: The error of the build; ``StoreError`` with code ``StoreError/Code/workHeld``; `CancellationError` at
    ///   once if the caller is cancelled.
    func take(
        _ index: IndexDescription, at state: () -> DatabaseState, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let wanted = state()
        while true {
            let build = try joinOrBegin(index, at: state(), body)
            // A stream is used, because iterating a stream ends when the task is cancelled. Awaiting the value of
            // another task does not end then.
            let (finished, continuation) = AsyncStream.makeStream(of: Never.self)
            Task {
                _ = await build.task.result
                continuation.finish()
            }
            for await _ in finished {}
            try Task.checkCancellation()
            do {
                return try await build.task.value
            } catch {
                guard !build.began.includes(wanted) else { throw error }
            }
        }
    }

    private func joinOrBegin(
        _ index: IndexDescription, at state: DatabaseState, _ body: @escaping @Sendable () async throws -> Void
    ) throws(StoreError) -> Build {
        let (number, work) = (index.number, work(index))
        return try self.state.withLock { builds throws(StoreError) -> Build in
            if let build = builds.active[number] { return build }
            guard !builds.isStopped else { throw StoreError.closed }
            let task = Task.detached(executorPreference: lane) {
                defer { self.removeBuild(number) }
                try await self.journal.run(work, body)
            }
            invariant(builds.progress[number] == nil, "a build begins without the progress of an earlier one")
            let build = Build(began: state, task: task)
            builds.active[number] = build
            return build
        }
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

    private func removeBuild(_ number: Int64) {
        state.withLock { state in
            invariant(state.active[number] != nil, "a build that ends has begun")
            state.active[number] = nil
            state.progress[number] = nil
        }
    }

    /// Cancels the active builds, waits for them, and rejects new builds.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.active.values.map(\.task)
        }
        for task in tasks {
            task.cancel()
            _ = try? await task.value
        }
    }
}
