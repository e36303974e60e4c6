//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A queue of users' databases with changes that are not consolidated. The type does no input or output.
///
/// A database that is added while it is being read is read again. A database that fails again and again waits longer
/// after each failure, and does not block other databases. A note stores a sequence of the journal of databases: all
/// changes up to this sequence are consolidated.
struct ConsolidationQueue {
    private struct Failure {
        var dueSeconds: Double
        var waitSeconds: Double
    }

    /// The queued names in order. Names before the index `next` were already taken from the queue.
    private var line: [String] = []
    private var next = 0
    private var isWaiting: Set<String> = []
    /// The names that were taken from the queue too early: their database was paused, or its retry was not due. These
    /// names wait outside of `line`.
    private var heldBack: Set<String> = []
    private(set) var working: Set<String> = []
    /// The databases that were written to while they were read.
    private var again: Set<String> = []
    private var failures: [String: Failure] = [:]
    /// The time of the next retry, in the clock's seconds.
    private(set) var nextDueSeconds = Double.infinity
    private var paused: Set<String> = []
    /// The databases that have not been read to their end since ``beginNote()``; `nil` while no note is in progress.
    private var unsettled: Set<String>?
    /// The databases in `unsettled` that were already being read when ``beginNote()`` was called. This reading may have
    /// missed writes that happened before the call, so each of these databases must be read again.
    private var begunBefore: Set<String> = []
    /// Whether a database was written to since the last note began.
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

    /// Returns the next database to read; `nil` when no database must be read, or the maximum number of databases is
    /// being read.
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
        // `line` may never become empty. Therefore the names that were taken are removed when they are half of `line`.
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
    /// - Returns: Whether the database is not being read now.
    mutating func pause(_ name: String) -> Bool {
        paused.insert(name)
        return !working.contains(name)
    }

    mutating func resume(_ name: String) {
        paused.remove(name)
        if heldBack.remove(name) != nil { line.append(name) }
    }

    // MARK: Notes

    /// Begins a note. Before the journal's sequence is stored, all databases that now wait or are being read must be
    /// read to their end.
    mutating func beginNote() {
        unsettled = isWaiting.union(working)
        begunBefore = working
        hasNews = false
    }

    /// Whether a note is in progress and all its databases were read. Databases whose last reading failed are not
    /// waited for.
    var isNoteReady: Bool { unsettled.map { $0.subtracting(failures.keys).isEmpty } ?? false }

    mutating func endNote() {
        unsettled = nil
        begunBefore = []
    }
}
