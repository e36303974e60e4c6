//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

import struct Synchronization.Atomic

/// Limits the number of databases with open files to `databasesOpenMax` and to a part of the system's limit of open
/// files, and divides the page cache among them. Databases that are in use stay open, so the number can exceed the
/// limit.
///
/// A ``Database`` object needs little memory and remains; only its connections close and reopen. When more databases
/// than the limit are open, the connections of the least recently used databases close. Each database opens its
/// connections again on its next use.
final class OpenFiles: Sendable {
    /// When the limit is exceeded, `openMax / restedPart` more databases are closed than necessary.
    private static let restedPart = 64

    private let limits: StoreLimits
    private let openMax: Int
    private let openDatabases = Mutex<[ObjectIdentifier: Database]>([:])
    private let cacheShareBytes: Atomic<Int>
    private let suspension = Atomic(false)
    private let operations = Atomic(0)
    /// The open snapshots of the databases. Each needs two files: the database's and its log.
    let snapshots: OpenSnapshots

    init(limits: StoreLimits) {
        self.limits = limits
        let databasesMax = FileLimit.databasesMax
        openMax = min(limits.databasesOpenMax, databasesMax)
        snapshots = OpenSnapshots(
            keptMax: min(limits.snapshotsKeptMax, databasesMax), idleSecondsMax: limits.snapshotIdleSecondsMax)
        cacheShareBytes = Atomic(limits.pageCacheBytesMax)
    }

    /// Whether the manager is suspended, so that no file may be opened.
    var isSuspended: Bool {
        get { suspension.load(ordering: .sequentiallyConsistent) }
        set { suspension.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Waits until the manager is no longer suspended.
    func waitUntilActive() async throws {
        while isSuspended { try await Task.sleep(for: .milliseconds(StoreLimits.suspensionMilliseconds)) }
    }

    /// Runs an operation on files of the directory that are not those of an open database.
    ///
    /// - Throws: The error that `body` throws, or ``StoreError`` with code ``StoreError/Code/suspended``.
    func whileActive<Result>(_ body: () throws -> Result) throws -> Result {
        operations.add(1, ordering: .sequentiallyConsistent)
        defer { operations.subtract(1, ordering: .sequentiallyConsistent) }
        try checkIsActive()
        return try body()
    }

    /// Whether no operation of ``whileActive(_:)`` is in progress.
    var isResting: Bool { operations.load(ordering: .sequentiallyConsistent) == 0 }

    /// Throws ``StoreError`` with code ``StoreError/Code/suspended`` while the manager is suspended.
    func checkIsActive() throws(StoreError) { if isSuspended { throw .suspended } }

    /// The number of databases with open files.
    var count: Int { openDatabases.withLock { $0.count } }

    /// The current size of one connection's page cache, in bytes. The size is a power of two, so that it changes
    /// rarely.
    var cacheShare: Int { cacheShareBytes.load(ordering: .relaxed) }

    /// Adds an opened database.
    ///
    /// - Returns: The databases to suspend, the least recently used first. These databases are no longer counted.
    func opened(_ database: Database) -> [Database] {
        openDatabases.withLock { open in
            open[ObjectIdentifier(database)] = database
            defer { divide(among: open.count) }
            let surplus = open.count - openMax
            guard surplus > 0 else { return [] }
            // More databases than necessary are removed from the open databases, so that not every opening has to scan
            // all of them.
            let suspended = OpenFiles.longestResting(
                of: open.values, but: database, count: surplus + openMax / OpenFiles.restedPart)
            for database in suspended { open.removeValue(forKey: ObjectIdentifier(database)) }
            invariant(open[ObjectIdentifier(database)] != nil, "a database that was just opened stays open")
            return suspended
        }
    }

    /// Removes some databases that are not in use.
    ///
    /// - Returns: The databases, at most `countMax`, for the caller to suspend. They are no longer counted.
    func takeResting(_ countMax: Int, notIn seen: Set<ObjectIdentifier>) -> [Database] {
        openDatabases.withLock { open in
            let resting = open.filter { !seen.contains($0.key) && $0.value.isResting }.values.prefix(countMax)
            for database in resting { open.removeValue(forKey: ObjectIdentifier(database)) }
            divide(among: open.count)
            return Array(resting)
        }
    }

    /// The least recently used idle databases, in ascending order of their last use. Only a few of many databases are
    /// needed, so the other databases are not sorted.
    private static func longestResting(
        of databases: some Sequence<Database>, but used: Database, count: Int
    ) -> [Database] {
        var longest: [(use: Moment, database: Database)] = []
        for database in databases where database !== used && database.isResting {
            let use = database.lastUse
            if longest.count == count, let last = longest.last {
                if use >= last.use { continue }
                longest.removeLast()
            }
            longest.insert((use, database), at: longest.firstIndex { use < $0.use } ?? longest.endIndex)
        }
        return longest.map(\.database)
    }

    func isOpen(_ database: Database) -> Bool { openDatabases.withLock { $0[ObjectIdentifier(database)] != nil } }

    /// Counts a database as open again. The database should have been suspended, but is in use again.
    func keep(_ database: Database) {
        openDatabases.withLock { $0[ObjectIdentifier(database)] = database }
    }

    func closed(_ database: Database) {
        openDatabases.withLock { open in
            open.removeValue(forKey: ObjectIdentifier(database))
            divide(among: open.count)
        }
    }

    private func divide(among count: Int) {
        // The cache is divided equally among the writers and one reader of each database.
        let equalShare = max(limits.pageCacheBytesMax / (2 * max(count, 1)), StoreLimits.cacheBytesMin)
        let rounded = 1 << (Int.bitWidth - 1 - equalShare.leadingZeroBitCount)
        invariant(rounded <= equalShare && rounded > equalShare / 2, "a share of the cache is nearly an equal share")
        cacheShareBytes.store(rounded, ordering: .relaxed)
    }
}
