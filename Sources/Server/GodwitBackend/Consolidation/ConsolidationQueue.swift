//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A queue of users' databases whose changes must be copied to the consolidated database. The queue decides which
/// database is read next. It only makes decisions, and does not read the databases itself.
///
/// If a database is added while it is being read, it is read again afterwards. After each failure of a database, its
/// next attempt is delayed longer. In the meantime, other databases are read.
///
/// After a restart, the server reads only the databases that changed after a checkpoint: a stored sequence of the
/// journal of databases, up to which all changes are consolidated. ``beginCheckpoint()`` begins a new checkpoint, which
/// can be stored when ``isCheckpointReady`` is `true`.
struct ConsolidationQueue {
    private struct Failure {
        var dueSeconds: Double
        var waitSeconds: Double
    }

    // Exact: the names of databases are ASCII.
    /// The queued names in order. Names before the index `next` were already taken from the queue.
    private var line: [String] = []
    private var next = 0
    private var isWaiting: Set<String> = []
    /// The names that `next(now:)` took from `line` although their database may not be read yet, because it is paused
    /// or its next attempt is not due. They are added to `line` again later.
    private var heldBack: Set<String> = []
    private(set) var working: Set<String> = []
    /// The databases that were written to while they were being read.
    private var again: Set<String> = []
    private var failures: [String: Failure] = [:]
    /// The time of the next retry, in the clock's seconds.
    private(set) var nextDueSeconds = Double.infinity
    private var paused: Set<String> = []
    /// The databases for which the checkpoint in progress still waits; `nil` while no checkpoint is in progress.
    private var unsettled: Set<String>?
    /// The databases in `unsettled` that were already being read when ``beginCheckpoint()`` was called. Such a read may
    /// have missed a write that preceded the call. Therefore, if such a database was written to while it was being
    /// read, it must be read again before the checkpoint can be stored.
    private var begunBefore: Set<String> = []
    /// Whether a database was added since the last checkpoint began. A database is added after a write, and for another
    /// attempt after a failure.
    private(set) var hasNews = false
    private let workersMax: Int

    init(workersMax: Int) { self.workersMax = workersMax }

    /// The databases whose last reading failed.
    var failing: [String] { failures.keys.sorted() }

    /// Adds a database that was written to.
    mutating func add(_ name: String) {
        hasNews = true
        if working.contains(name) {
            again.insert(name)
        } else if isWaiting.insert(name).inserted {
            line.append(name)
        }
    }

    /// Returns the next database to read; `nil` when no database may be read now, or when the maximum number of
    /// databases is already being read.
    ///
    /// - Parameter now: The clock's time in seconds.
    mutating func next(now: Double) -> String? {
        if nextDueSeconds <= now { addDue(now) }
        guard working.count < workersMax else { return nil }
        while let name = takeFirst() {
            guard !paused.contains(name), (failures[name]?.dueSeconds ?? 0) <= now else {
                heldBack.insert(name)
                continue
            }
            isWaiting.remove(name)
            working.insert(name)
            return name
        }
        return nil
    }

    private mutating func takeFirst() -> String? {
        guard next < line.count else {
            line.removeAll(keepingCapacity: true)
            next = 0
            return nil
        }
        defer { next += 1 }
        // If there are always new writes, `line` never becomes empty. Therefore, the names that were taken are removed
        // as soon as they are half of `line`.
        if next >= 1_024, next * 2 >= line.count {
            line.removeFirst(next)
            next = 0
        }
        return line[next]
    }

    private mutating func addDue(_ now: Double) {
        nextDueSeconds = .infinity
        for (name, failure) in failures {
            guard failure.dueSeconds <= now else {
                nextDueSeconds = min(nextDueSeconds, failure.dueSeconds)
                continue
            }
            if heldBack.remove(name) != nil { line.append(name) } else if !working.contains(name) { add(name) }
        }
    }

    /// Records that a database was read to its end, or that reading failed.
    mutating func finish(_ name: String, succeeded: Bool, now: Double) {
        working.remove(name)
        if succeeded {
            failures[name] = nil
        } else {
            let wait =
                failures[name].map { min($0.waitSeconds * 2, BackendLimits.consolidationRetrySecondsMax) }
                ?? BackendLimits.consolidationRetrySeconds
            failures[name] = Failure(dueSeconds: now + wait, waitSeconds: wait)
            nextDueSeconds = min(nextDueSeconds, now + wait)
        }
        let isWritten = again.remove(name) != nil
        if begunBefore.remove(name) == nil || !isWritten { unsettled?.remove(name) }
        if isWritten { add(name) }
    }

    // MARK: Pauses

    /// Pauses a database.
    ///
    /// - Returns: `true` if no reading of the database is in progress. `false` if the caller must wait until it has
    ///   ended.
    mutating func pause(_ name: String) -> Bool {
        paused.insert(name)
        return !working.contains(name)
    }

    mutating func resume(_ name: String) {
        paused.remove(name)
        if heldBack.remove(name) != nil { line.append(name) }
    }

    // MARK: Checkpoints

    /// Begins a checkpoint. The checkpoint waits for all databases that are queued or being read now: it can be stored
    /// only after they have been read to their end.
    mutating func beginCheckpoint() {
        unsettled = isWaiting.union(working)
        begunBefore = working
        hasNews = false
    }

    /// Whether a checkpoint is in progress and can be stored: every database for which it waits has been read, or its
    /// last attempt has failed.
    var isCheckpointReady: Bool { unsettled.map { $0.subtracting(failures.keys).isEmpty } ?? false }

    /// Ends the checkpoint in progress, after it was stored.
    mutating func endCheckpoint() {
        unsettled = nil
        begunBefore = []
    }
}
