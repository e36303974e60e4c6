//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which users' databases have changes that the consolidated one does not have yet: logic without input or output.
///
/// A name that comes while its database is being read is read again. What keeps failing waits longer each time and holds
/// nobody else up.
struct ConsolidationQueue {
    private struct Failure {
        var dueSeconds: Double
        var waitSeconds: Double
    }

    /// In the order of their turns; those before `next` had theirs.
    private var line: [String] = []
    private var next = 0
    private var isWaiting: Set<String> = []
    /// Whose turn came while they were paused or not due again; they wait outside of the line.
    private var heldBack: Set<String> = []
    private(set) var working: Set<String> = []
    /// Written to while they were read.
    private var again: Set<String> = []
    private var failures: [String: Failure] = [:]
    /// When one of those that failed is due next, in seconds of the clock.
    private(set) var nextDueSeconds = Double.infinity
    private var paused: Set<String> = []
    /// What has not been read to its end since ``beginNote()``; `nil` when no note is being taken.
    private var unsettled: Set<String>?
    /// Of those, the ones whose reading had begun: it may have passed what was written before the note.
    private var begunBefore: Set<String> = []
    /// Whether a database was written to since the last note was begun.
    private(set) var hasNews = false
    private let workersMax: Int

    init(workersMax: Int) { self.workersMax = workersMax }

    /// Databases whose last reading failed.
    var failing: [String] { failures.keys.sorted() }

    /// A database was written to.
    mutating func add(_ name: String) {
        hasNews = true
        if working.contains(name) {
            again.insert(name)
        } else if isWaiting.insert(name).inserted {
            line.append(name)
        }
    }

    /// The next database to read; `nil` when none is to be, or as many as may be are being read.
    ///
    /// - Parameter now: A clock's time in seconds.
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
        // The line may never run empty: what had its turn leaves it when that is the most of it.
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

    /// A database was read to its end, or could not be.
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

    /// Lets a database be while something else is done with it.
    ///
    /// - Returns: Whether it is not being read now.
    mutating func pause(_ name: String) -> Bool {
        paused.insert(name)
        return !working.contains(name)
    }

    mutating func resume(_ name: String) {
        paused.remove(name)
        if heldBack.remove(name) != nil { line.append(name) }
    }

    // MARK: Notes

    /// Begins to take note of how far the journal of databases is consolidated: all that waits now must be read first.
    mutating func beginNote() {
        unsettled = isWaiting.union(working)
        begunBefore = working
        hasNews = false
    }

    /// Whether a note is being taken and all of it was read, but for what keeps failing.
    var isNoteReady: Bool { unsettled.map { $0.subtracting(failures.keys).isEmpty } ?? false }

    mutating func endNote() {
        unsettled = nil
        begunBefore = []
    }
}
