//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitThreads

import struct Synchronization.Atomic

/// The one connection of a database that writes and checkpoints, and the state that goes with it.
///
/// Used by one thread at a time: the queue of writes sees to it; the mutex proves it. The connection can be closed while
/// nobody writes and opens again by itself; the state stays in memory.
final class DatabaseWriter: Sendable {
    /// What a writer tells the catalogue.
    struct Marks: Sendable {
        /// Called before the first write since the file was clean; returns when the mark is durable.
        let dirty: @Sendable () throws -> Void
        /// Called when the file is whole and closed, and will rest.
        let clean: @Sendable () -> Void

        /// Called after each commit.
        let written: @Sendable () -> Void

        /// Of a database that no catalogue has.
        static let none = Marks(dirty: {}, clean: {}, written: {})
    }

    private struct Held {
        var connection: SQLiteConnection?
        var cacheBytes: Int
        var state: DatabaseState
        var tables: Set<FileFormat.RareTable>
        /// Whether all that was written lies in the file; while the connection is closed.
        var isWhole = false
        var isClosed = false
    }

    private let held: Mutex<Held>
    /// Whether the catalogue says that the file may hold writes; changed while `held` is.
    private let isDirty: Atomic<Bool>
    private let file: DatabaseFile
    private let hub: ChangeHub
    private let marks: Marks
    private let cacheShare: @Sendable () -> Int

    /// - Parameters:
    ///   - opened: A connection as ``DatabaseFile/openWriter(cacheBytes:)`` gives it.
    ///   - isDirty: Whether the catalogue has the mark already.
    init(
        file: DatabaseFile, opened: SQLiteConnection, state: DatabaseState, hub: ChangeHub, marks: Marks, isDirty: Bool,
        cacheShare: @escaping @Sendable () -> Int
    ) throws {
        self.file = file
        self.hub = hub
        self.marks = marks
        self.cacheShare = cacheShare
        held = Mutex(
            Held(
                connection: opened, cacheBytes: 0, state: state, tables: try opened.rareTables()))
        self.isDirty = Atomic(isDirty)
    }

    /// Runs jobs in one transaction.
    ///
    /// - Parameter database: Whose jobs they are.
    func commit(_ jobs: [WriteQueue.Job], of database: Database) -> CommitResult {
        var result = CommitResult(outcomes: Array(repeating: nil, count: jobs.count))
        do {
            result.effects = try held.withLock { held throws -> CommitResult.Effects in
                let connection = try ready(&held, wasOpened: &result.wasOpened)
                if !isDirty.load(ordering: .relaxed) { try marks.dirty() }
                isDirty.store(true, ordering: .relaxed)
                let group = GroupTransaction(
                    connection: connection, database: database, state: held.state, tables: held.tables)
                defer { group.isOver = true }
                try run(jobs, in: group, before: held.state, outcomes: &result.outcomes)
                held.state = group.memo.state
                held.tables = group.memo.tables
                if held.cacheBytes < StoreLimits.cacheBytesKeptMin { connection.releaseMemory() }
                return group.effects
            }
        } catch {
            // What a closure of the caller threw goes back as it is.
            let subject = "writing to \(database.name)"
            let failure = error is SQLiteError ? StoreError(wrapping: error, subject: subject) : error
            result.outcomes = result.outcomes.map { $0 ?? failure }
        }
        return result
    }

    /// Tells the catalogue of a commit.
    func noteCommit() { marks.written() }

    /// The connection, opened when it was closed for being idle, with its share of the cache.
    private func ready(_ held: inout Held, wasOpened: inout Bool) throws -> SQLiteConnection {
        guard !held.isClosed else { throw StoreError.closed }
        let bytes = cacheShare()
        if let connection = held.connection {
            if held.cacheBytes != bytes { try connection.setCache(bytes: bytes) }
            held.cacheBytes = bytes
            return connection
        }
        let connection = try file.openWriter(cacheBytes: bytes)
        held.connection = connection
        held.cacheBytes = bytes
        wasOpened = true
        return connection
    }

    private func run(
        _ jobs: [WriteQueue.Job], in group: GroupTransaction, before: DatabaseState, outcomes: inout [(any Error)?]
    ) throws {
        try group.connection.write {
            if jobs.count == 1 {
                try jobs[0].run(group)
            } else {
                for (place, job) in jobs.enumerated() {
                    do {
                        try group.nested { try job.run(group) }
                    } catch {
                        // A failure that ended the whole transaction is every job's.
                        guard group.connection.isInTransaction else { throw error }
                        outcomes[place] = error
                    }
                }
            }
            try group.finish(before: before)
        }
    }

    /// Moves the log into the file when it has grown long. Nobody waits for this but the next write.
    func checkpointWhenDue() {
        held.withLock { held in
            guard let connection = held.connection, connection.logPages >= file.limits.checkpointPages else { return }
            // What was committed is durable in the log. A checkpoint that fails is tried again after the next commit.
            guard (try? connection.checkpoint(.passive)) == false else { return }
            if connection.logPages * StoreLimits.pageBytes > file.limits.logBytesMax / 2 {
                hub.expireSnapshots()
                _ = try? connection.checkpoint(.restart(milliseconds: StoreLimits.logWaitMilliseconds))
            }
        }
    }

    /// Moves the whole log into the file, as far as readers allow.
    func checkpoint() throws {
        try held.withLock { held in _ = try held.connection?.checkpoint(.truncate) }
    }

    /// Closes the connection until the next write; the file is whole then.
    func suspend() {
        held.withLock { held in
            guard let connection = held.connection else { return }
            held.isWhole = (try? connection.checkpoint(.passive)) == true
            connection.close()
            held.connection = nil
        }
    }

    /// Whether the catalogue has, or will have by its next commit, that the file is whole.
    var isClean: Bool { !isDirty.load(ordering: .relaxed) }

    /// Marks a file clean that is closed. Not at each closing: the next write would have to wait for the opposite mark.
    ///
    /// - Parameter isBusy: Whether a commit may be under way whose observers were not told yet.
    func settle(isBusy: () -> Bool = { false }) {
        held.withLock { held in
            guard held.connection == nil, held.isWhole, isDirty.load(ordering: .relaxed), !isBusy() else { return }
            marks.clean()
            isDirty.store(false, ordering: .relaxed)
        }
    }

    /// Closes for good.
    func close() {
        suspend()
        settle()
        held.withLock { $0.isClosed = true }
    }
}

extension SQLiteConnection {
    fileprivate func rareTables() throws -> Set<FileFormat.RareTable> {
        let statement = try statement("SELECT name FROM sqlite_schema WHERE type = 'table'")
        defer { statement.reset() }
        var tables: Set<FileFormat.RareTable> = []
        while try statement.step() {
            if let table = FileFormat.RareTable(rawValue: statement.string(0)) { tables.insert(table) }
        }
        return tables
    }
}
