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

    private var waiting: [String] = []
    private var isWaiting: Set<String> = []
    private(set) var working: Set<String> = []
    /// Written to while they were read.
    private var again: Set<String> = []
    private var failures: [String: Failure] = [:]
    private var paused: Set<String> = []
    /// What has not been read to its end since ``beginNote()``; `nil` when no note is being taken.
    private var unsettled: Set<String>?
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
            waiting.append(name)
        }
    }

    /// The next database to read; `nil` when none is to be, or as many as may be are being read.
    ///
    /// - Parameter now: A clock's time in seconds.
    mutating func next(now: Double) -> String? {
        for (name, failure) in failures where failure.dueSeconds <= now && !working.contains(name) { add(name) }
        guard working.count < workersMax,
            let place = waiting.firstIndex(where: { !paused.contains($0) && (failures[$0]?.dueSeconds ?? 0) <= now })
        else { return nil }
        let name = waiting.remove(at: place)
        isWaiting.remove(name)
        working.insert(name)
        return name
    }

    /// When a database that failed is due, in seconds of the clock; `nil` when none is.
    var nextDueSeconds: Double? { failures.values.map(\.dueSeconds).min() }

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
        }
        if again.remove(name) != nil { add(name) } else { unsettled?.remove(name) }
    }

    // MARK: Pauses

    /// Lets a database be while something else is done with it.
    ///
    /// - Returns: Whether it is not being read now.
    mutating func pause(_ name: String) -> Bool {
        paused.insert(name)
        return !working.contains(name)
    }

    mutating func resume(_ name: String) { paused.remove(name) }

    // MARK: Notes

    /// Begins to take note of how far the journal of databases is consolidated: all that waits now must be read first.
    mutating func beginNote() {
        unsettled = isWaiting.union(working)
        hasNews = false
    }

    /// Whether a note is being taken and all of it was read, but for what keeps failing.
    var isNoteReady: Bool { unsettled.map { $0.subtracting(failures.keys).isEmpty } ?? false }

    mutating func endNote() { unsettled = nil }
}
