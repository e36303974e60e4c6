//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitBase
import GodwitSQLite

/// Commits the changes of several waiting threads in one transaction.
///
/// If several threads wait, one of them is the leader: it runs the changes of all waiting threads, including its own,
/// in one transaction. A thread becomes the leader if there is no leader when it adds its change. The other threads
/// block until their changes are durable. Call it only on the blocking pool.
final class GroupCommit: Sendable {
    private final class Job: Sendable {
        let run: @Sendable (SQLiteConnection) throws -> Void
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)

        init(_ run: @escaping @Sendable (SQLiteConnection) throws -> Void) { self.run = run }
    }

    private struct State {
        var waiting: [Job] = []
        var hasLeader = false
        var isClosed = false
    }

    /// A checkpoint begins when the log has at least this number of pages.
    private static let checkpointPages = 1_000

    private let state = Mutex(State())
    private let connection: ReopeningConnection

    init(_ connection: ReopeningConnection) { self.connection = connection }

    /// Runs `body` in a transaction and returns when the transaction is durable. The transaction may also contain the
    /// changes of other threads.
    ///
    /// - Throws: The error that `body` throws, after which only the changes of `body` are rolled back; the error of the
    ///   commit; or ``StoreError`` with code ``StoreError/Code/closed`` after ``close()``.
    func perform(_ body: @escaping @Sendable (SQLiteConnection) throws -> Void) throws {
        let job = Job(body)
        guard let isLeader = add(job) else { throw StoreError.closed }
        if isLeader { commitWaitingJobs() } else { job.done.wait() }
        if let failure = job.failure.withLock({ $0 }) { throw failure }
    }

    /// - Parameter isLast: Whether the queue is closed after this job.
    /// - Returns: Whether the caller is the leader; `nil` if the queue is closed.
    private func add(_ job: Job, isLast: Bool = false) -> Bool? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = isLast
            state.waiting.append(job)
            defer { state.hasLeader = true }
            return !state.hasLeader
        }
    }

    /// Adds a change to the next commit, before all later changes. This method does not start a commit, does not wait,
    /// and ignores errors. Does nothing after ``close()``.
    func later(_ body: @escaping @Sendable (SQLiteConnection) throws -> Void) {
        state.withLock { if !$0.isClosed { $0.waiting.append(Job(body)) } }
    }

    private func commitWaitingJobs() {
        while true {
            let group = state.withLock { state -> [Job] in
                invariant(state.hasLeader, "only the leader commits")
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.hasLeader = false }
                return state.waiting
            }
            guard !group.isEmpty else { return }
            commit(group)
            for job in group { job.done.signal() }
        }
    }

    private func commit(_ group: [Job]) {
        do {
            try connection.withLock { connection in
                try connection.transaction {
                    for job in group {
                        do {
                            try connection.nested { try InvariantScope.run { try job.run(connection) } }
                        } catch {
                            guard connection.isInTransaction else { throw error }
                            job.failure.withLock { $0 = error }
                        }
                    }
                }
                // The changes of this group are already durable. If the checkpoint fails, it is repeated after the next
                // group.
                if connection.logPages >= GroupCommit.checkpointPages { _ = try? connection.checkpoint(.passive) }
            }
        } catch {
            for job in group { job.failure.withLock { $0 = $0 ?? error } }
        }
    }

    /// Commits the changes added with ``later(_:)`` and closes the connection.
    func close() {
        let closingJob = Job { _ in }
        guard let isLeader = add(closingJob, isLast: true) else { return }
        if isLeader { commitWaitingJobs() } else { closingJob.done.wait() }
        invariant(state.withLock { $0.isClosed && $0.waiting.isEmpty }, "no change waits for a closed connection")
        connection.close()
    }

    /// Commits the changes added with ``later(_:)`` and closes the connection until ``resume()``.
    func suspend() {
        try? perform { _ in }
        connection.suspend()
    }

    func resume() { connection.resume() }
}
