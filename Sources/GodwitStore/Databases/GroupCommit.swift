//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitSQLite
import GodwitThreads

/// Changes by threads that wait, many of them in one commit.
///
/// A thread that finds nobody at work leads: it runs what waits, its own change among it, in one transaction. The others
/// sleep until theirs is durable. Call it on the blocking pool only.
final class GroupCommit: Sendable {
    private final class Job: Sendable {
        let run: @Sendable (SQLiteConnection) throws -> Void
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)

        init(_ run: @escaping @Sendable (SQLiteConnection) throws -> Void) { self.run = run }
    }

    private struct State {
        var waiting: [Job] = []
        var isLed = false
        var isClosed = false
    }

    /// The length of the log that starts a checkpoint, in pages.
    private static let checkpointPages = 1_000

    private let state = Mutex(State())
    private let connection: Mutex<SQLiteConnection>

    init(_ connection: SQLiteConnection) { self.connection = Mutex(connection) }

    /// Runs `body` in a transaction that other changes may share, and returns when it is durable.
    ///
    /// - Throws: What `body` threw, which undid it alone, or the failure of the commit.
    func perform(_ body: @escaping @Sendable (SQLiteConnection) throws -> Void) throws {
        let job = Job(body)
        guard let leads = add(job) else { throw StoreError.closed }
        if leads { lead() } else { job.done.wait() }
        if let failure = job.failure.withLock({ $0 }) { throw failure }
    }

    /// - Parameter isLast: Whether no more are taken after it.
    /// - Returns: Whether the caller leads; `nil` when no more are taken.
    private func add(_ job: Job, isLast: Bool = false) -> Bool? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = isLast
            state.waiting.append(job)
            defer { state.isLed = true }
            return !state.isLed
        }
    }

    /// Leaves a change to the next commit, before all changes that come later. After ``close()`` it is dropped.
    func later(_ body: @escaping @Sendable (SQLiteConnection) throws -> Void) {
        state.withLock { if !$0.isClosed { $0.waiting.append(Job(body)) } }
    }

    private func lead() {
        while true {
            let group = state.withLock { state -> [Job] in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isLed = false }
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
                try connection.write {
                    for job in group {
                        do {
                            try connection.nested { try job.run(connection) }
                        } catch {
                            guard connection.isInTransaction else { throw error }
                            job.failure.withLock { $0 = error }
                        }
                    }
                }
                // The group is durable. A checkpoint that fails is tried again after the next one.
                if connection.logPages >= GroupCommit.checkpointPages { _ = try? connection.checkpoint(.passive) }
            }
        } catch {
            for job in group { job.failure.withLock { $0 = $0 ?? error } }
        }
    }

    /// Commits what was left for later and closes the connection.
    func close() {
        let last = Job { _ in }
        guard let leads = add(last, isLast: true) else { return }
        if leads { lead() } else { last.done.wait() }
        connection.withLock { $0.close() }
    }
}
