//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// This queue implements group commit. Every write waits in the queue. A thread of the blocking pool takes a group of
// waiting writes (up to `writesPerCommitMax`), runs them in one SQLite transaction, commits once, and then completes
// them in order. So one flush of the disk is enough for all writes of the group. Under load, the groups become larger.
// If only one write waits, it is committed at once, without waiting for other writes.
//
// A failed write must not affect the other writes of its group. If a group has several writes, each runs within a
// savepoint. If the commit fails, all writes of the group fail, and the file contains none of them.

/// The queue of writes of one database.
final class WriteQueue: Sendable {
    /// A waiting write: its work and its completion handler.
    struct Job: Sendable {
        let run: @Sendable (GroupTransaction) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waitingJobs: [Job] = []
        var isRunning = false
        var lastUse = Moment.distantPast
        var isClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let pool: BlockingPool
    private let limits: StoreLimits

    init(pool: BlockingPool, limits: StoreLimits) {
        self.pool = pool
        self.limits = limits
    }

    /// The number of writes that wait for the writer.
    var waitingCount: Int { state.withLock { $0.waitingJobs.count } }

    /// Whether a write waits or is in progress.
    var isBusy: Bool { state.withLock { $0.isRunning } }

    /// The time when the last write was added.
    var lastUse: Moment { state.withLock { $0.lastUse } }

    /// Runs `body` in a write transaction and returns the result of `body` when the write is durable.
    ///
    /// - Parameter run: Runs a group of writes in one transaction and completes each write.
    /// - Throws: The error that `body` throws, or ``StoreError`` with code ``StoreError/Code/closed``, or
    ///   ``StoreError/Code/overloaded`` if `writesWaitingMax` writes wait.
    func enqueue<Result: Sendable>(
        run: @escaping @Sendable ([Job]) -> Void, _ body: @escaping @Sendable (GroupTransaction) throws -> Result
    ) async throws -> Result {
        // The result is passed through a lock, for the reason that ``BlockingPool/run(_:)`` gives.
        let storedResult = Mutex<Result?>(nil)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let job = Job(
                run: { group in
                    let result = try body(group)
                    storedResult.withLock { $0 = result }
                },
                finish: { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                })
            if let refusal = add(job, run: run) { continuation.resume(throwing: refusal) }
        }
        return storedResult.withLock { $0.take()! }
    }

    private func add(_ job: Job, run: @escaping @Sendable ([Job]) -> Void) -> StoreError? {
        let (refusal, mustStart) = state.withLock { state -> (StoreError?, Bool) in
            if state.isClosed { return (.closed, false) }
            if state.waitingJobs.count >= limits.writesWaitingMax { return (.overloaded(limits), false) }
            state.waitingJobs.append(job)
            state.lastUse = .now
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if mustStart { pool.submit { self.drain(run) } }
        return refusal
    }

    /// Runs groups of writes until the queue is empty. `isRunning` stays set until then, so that only one thread runs
    /// groups.
    private func drain(_ run: ([Job]) -> Void) {
        while let group = nextGroup() { run(group) }
    }

    private func nextGroup() -> [Job]? {
        let (group, waiters) = state.withLock { state -> ([Job]?, [CheckedContinuation<Void, Never>]) in
            guard !state.waitingJobs.isEmpty else {
                invariant(state.isRunning, "only the running thread ends the run")
                state.isRunning = false
                return (nil, state.isClosed ? state.closeWaiters.takeAll() : [])
            }
            let count = min(state.waitingJobs.count, max(limits.writesPerCommitMax, 1))
            invariant(state.isRunning, "only the running thread takes writes")
            invariant(state.isClosed || state.closeWaiters.isEmpty, "tasks wait only for the end of a closed queue")
            defer { state.waitingJobs.removeFirst(count) }
            return (Array(state.waitingJobs.prefix(count)), [])
        }
        for waiter in waiters { waiter.resume() }
        return group
    }

    /// Rejects further writes and waits until the accepted writes are done.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                invariant(state.isRunning || state.waitingJobs.isEmpty, "waiting writes have a thread that runs them")
                if state.isRunning { state.closeWaiters.append(continuation) }
                return !state.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }
}

extension StoreError {
    static var closed: StoreError {
        StoreError(.closed, "the datastore is closed or deleted. Open it again from its manager.")
    }

    static var readOnly: StoreError {
        StoreError(
            .readOnly,
            "this manager only reads the directory, which another process writes. Write in that process, for example "
                + "in the app that shares the directory.")
    }

    static func nothingToRead(_ path: String) -> StoreError {
        StoreError(
            .databaseNotFound, "\(path) does not exist yet. Open the directory first in the program that writes it.")
    }

    static var encryptionOfShared: StoreError {
        StoreError(
            .notSupported,
            "an encrypted database cannot be shared with other processes. Open the directory without sharing it, or "
                + "without a key, and let the system protect its files (`DirectoryOptions.protection`).")
    }

    static var suspended: StoreError {
        StoreError(.suspended, "the manager is suspended. Call `resume()` when the app is active again.")
    }

    fileprivate static func overloaded(_ limits: StoreLimits) -> StoreError {
        StoreError(
            .overloaded, "more than \(limits.writesWaitingMax) writes are waiting in this database. Try again later.")
    }
}

extension Array {
    /// Empties the array and returns its former elements.
    fileprivate mutating func takeAll() -> [Element] {
        defer { removeAll() }
        return self
    }
}
