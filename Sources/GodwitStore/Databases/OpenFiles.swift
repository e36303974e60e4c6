//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

import struct Synchronization.Atomic

/// Keeps the number of databases whose files are open below `databasesOpenMax`, and below what the system's limit of open
/// files has room for; divides the page cache among them.
///
/// A ``Database`` is cheap and stays; its connections come and go. Whoever opens one more than the limit closes the one
/// that was used least recently; it opens again by itself when it is needed.
final class OpenFiles: Sendable {
    /// One part in so many is closed at once.
    private static let restedPart = 64

    /// Of the files that the process may open, there is one database for so many: with its log, their index and readers,
    /// each of which has two, it needs five to eleven, and connections of clients need theirs.
    private static let filesPerDatabase = 16

    private let limits: StoreLimits
    private let openMax: Int
    private let open = Mutex<[ObjectIdentifier: Database]>([:])
    private let share: Atomic<Int>

    init(limits: StoreLimits) {
        self.limits = limits
        openMax = max(min(limits.databasesOpenMax, FileLimit.current / OpenFiles.filesPerDatabase), 1)
        share = Atomic(limits.pageCacheBytesMax)
    }

    /// How many databases have open files.
    var count: Int { open.withLock { $0.count } }

    /// What one connection may keep in its page cache now, in bytes: a power of two, so that it seldom changes.
    var cacheShare: Int { share.load(ordering: .relaxed) }

    /// Takes note of an opened database.
    ///
    /// - Returns: The databases to suspend, those that rested longest first; they no longer count.
    func opened(_ database: Database) -> [Database] {
        open.withLock { open in
            open[ObjectIdentifier(database)] = database
            defer { divide(among: open.count) }
            let surplus = open.count - openMax
            guard surplus > 0 else { return [] }
            // Some more than needed, so that not every opening looks through all of them.
            let rested = OpenFiles.longestResting(
                of: open.values, but: database, count: surplus + openMax / OpenFiles.restedPart)
            for database in rested { open.removeValue(forKey: ObjectIdentifier(database)) }
            return rested
        }
    }

    /// Those that rested longest, the longest first. They are few of many, so that the others need no order.
    private static func longestResting(
        of databases: some Sequence<Database>, but used: Database, count: Int
    ) -> [Database] {
        var found: [(use: Moment, database: Database)] = []
        for database in databases where database !== used && database.isResting {
            let use = database.lastUse
            if found.count == count, let last = found.last {
                if use >= last.use { continue }
                found.removeLast()
            }
            found.insert((use, database), at: found.firstIndex { use < $0.use } ?? found.endIndex)
        }
        return found.map(\.database)
    }

    /// Counts a database again that was to be suspended and was used meanwhile.
    func keep(_ database: Database) {
        open.withLock { $0[ObjectIdentifier(database)] = database }
    }

    func closed(_ database: Database) {
        open.withLock { open in
            open.removeValue(forKey: ObjectIdentifier(database))
            divide(among: open.count)
        }
    }

    private func divide(among count: Int) {
        // A writer and a reader each: two shares.
        let equal = max(limits.pageCacheBytesMax / (2 * max(count, 1)), StoreLimits.cacheBytesMin)
        let rounded = 1 << (Int.bitWidth - 1 - equal.leadingZeroBitCount)
        share.store(rounded, ordering: .relaxed)
    }
}
