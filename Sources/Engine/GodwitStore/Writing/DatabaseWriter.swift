//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

import struct Synchronization.Atomic

/// The only connection of a database that writes and makes checkpoints, together with the state in memory that belongs
/// to this connection.
///
/// The queue of writes uses the writer from one thread at a time. A mutex prevents checkpoints and closing during a
/// write. The connection can be closed while no write is in progress. The state remains in memory, and the connection
/// opens again on the next write.
final class DatabaseWriter: Sendable {
    /// The notifications from a writer to the catalogue.
    struct CatalogueCallbacks: Sendable {
        /// Called before the first write to a clean file. Returns when the dirty mark is durable.
        let dirty: @Sendable () throws -> Void
        /// Called some time after the file was closed, but only if the file contains all writes and none is only in the
        /// log. The argument is the state of the file.
        let clean: @Sendable (Catalogue.SeenState) -> Void

        /// Called after each commit.
        let written: @Sendable () -> Void

        /// The callbacks for a database that is not in the catalogue. They do nothing.
        static let none = CatalogueCallbacks(dirty: {}, clean: { _ in }, written: {})
    }

    private struct WriterState {
        var connection: SQLiteConnection?
        var cacheBytes: Int
        var state: DatabaseState
        var tables: Set<FileFormat.RareTable>
        /// Whether all writes were copied from the log into the file. This value is valid only while the connection is
        /// closed.
        var isComplete = false
        var isClosed = false
        /// The length of the log at the last checkpoint, in pages.
        var pagesAtCheckpoint = 0
    }

    private let writerState: Mutex<WriterState>
    /// Whether the catalogue marks the file as dirty. Changed only while `writerState` is locked.
    private let isDirty: Atomic<Bool>
    private let file: DatabaseFile
    private let hub: ChangeHub
    private let callbacks: CatalogueCallbacks
    /// The epoch of the file.
    private let epoch: String
    private let cacheShare: @Sendable () -> Int
    private let admit: @Sendable () throws(StoreError) -> Void

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - opened: A connection from ``DatabaseFile/openWriter(cacheBytes:)``.
    ///   - epoch: The epoch of the file.
    ///   - isDirty: Whether the catalogue already marks the file as dirty.
    ///   - admit: Throws an error while nothing may be written.
    init(
        file: DatabaseFile, opened: SQLiteConnection, state: DatabaseState, epoch: String, hub: ChangeHub,
        callbacks: CatalogueCallbacks, isDirty: Bool,
        cacheShare: @escaping @Sendable () -> Int, admit: @escaping @Sendable () throws(StoreError) -> Void
    ) throws {
        self.file = file
        self.hub = hub
        self.callbacks = callbacks
        self.cacheShare = cacheShare
        self.admit = admit
        writerState = Mutex(
            WriterState(
                connection: opened, cacheBytes: 0, state: state, tables: try opened.rareTables()))
        self.isDirty = Atomic(isDirty)
        self.epoch = epoch
    }

    /// Runs jobs in one transaction.
    ///
    /// - Parameter database: The database of the jobs.
    func commit(_ jobs: [WriteQueue.Job], of database: Database) -> CommitResult {
        var result = CommitResult(outcomes: Array(repeating: nil, count: jobs.count))
        do {
            result.effects = try writerState.withLock { writerState throws -> CommitResult.Effects in
                let connection = try openConnection(&writerState, wasOpened: &result.wasOpened)
                if !isDirty.load(ordering: .relaxed) { try callbacks.dirty() }
                isDirty.store(true, ordering: .relaxed)
                let group = GroupTransaction(
                    connection: connection, database: database, state: writerState.state, tables: writerState.tables)
                defer { group.isOver = true }
                try run(jobs, in: group, before: writerState.state, outcomes: &result.outcomes)
                invariant(!connection.isInTransaction, "a commit ends its transaction")
                writerState.state = group.memory.state
                writerState.tables = group.memory.tables
                if writerState.cacheBytes < StoreLimits.cacheBytesKeptMin { connection.releaseMemory() }
                return group.effects
            }
        } catch {
            let failure = explained(error, of: database)
            result.outcomes = result.outcomes.map { $0 ?? failure }
        }
        return result
    }

    /// Converts an error of SQLite and a broken rule. An error that a caller's closure threw is returned unchanged.
    private func explained(_ error: any Error, of database: Database) -> any Error {
        guard error is SQLiteError || error is BrokenInvariant else { return error }
        return StoreError(wrapping: error, subject: "writing to \(database.name)")
    }

    /// Notifies the catalogue of a commit.
    func noteCommit() { callbacks.written() }

    /// Returns the connection, and opens it if it was closed. The page cache of the connection is set to the current
    /// size.
    private func openConnection(_ writerState: inout WriterState, wasOpened: inout Bool) throws -> SQLiteConnection {
        guard !writerState.isClosed else { throw StoreError.closed }
        try admit()
        let bytes = cacheShare()
        if let connection = writerState.connection {
            if writerState.cacheBytes != bytes { try connection.setCache(bytes: bytes) }
            writerState.cacheBytes = bytes
            return connection
        }
        let connection = try file.openWriter(cacheBytes: bytes)
        writerState.connection = connection
        writerState.cacheBytes = bytes
        wasOpened = true
        return connection
    }

    private func run(
        _ jobs: [WriteQueue.Job], in group: GroupTransaction, before oldState: DatabaseState,
        outcomes: inout [(any Error)?]
    ) throws {
        try group.connection.transaction {
            if jobs.count == 1 {
                try InvariantScope.run { try jobs[0].run(group) }
            } else {
                for (index, job) in jobs.enumerated() {
                    do {
                        try group.nested { try InvariantScope.run { try job.run(group) } }
                    } catch {
                        // If the error ended the transaction, every job without an earlier error fails with this error.
                        guard group.connection.isInTransaction else { throw error }
                        outcomes[index] = explained(error, of: group.database)
                    }
                }
            }
            try InvariantScope.run { try group.finish(before: oldState) }
        }
    }

    /// Copies the log into the file if the log has grown by at least `checkpointPages` pages. Only the next write waits
    /// for the checkpoint. Without the condition on the growth, each commit would make a checkpoint while a snapshot
    /// keeps the log long.
    ///
    /// If some pages could not be copied, and the log is longer than half of `logBytesMax`, ends old snapshots, and
    /// tries again if none is left. If the log is longer than three quarters, ends the idle snapshots too, and waits for
    /// the others, so that answers that are being read remain one state. Ends those that do not end in time.
    ///
    /// - Parameter endSnapshots: Ends snapshots of the database. Returns whether none is left.
    func checkpointWhenDue(endSnapshots: (OpenSnapshots.Choice) -> Bool) {
        writerState.withLock { writerState in
            guard let connection = writerState.connection else { return }
            let pages = connection.logPages
            // The log was written from its start again.
            if pages < writerState.pagesAtCheckpoint { writerState.pagesAtCheckpoint = 0 }
            guard pages - writerState.pagesAtCheckpoint >= file.limits.checkpointPages else { return }
            writerState.pagesAtCheckpoint = pages
            // The commit is already durable in the log. If the checkpoint fails, a later one copies the same pages.
            guard (try? connection.checkpoint(.passive)) == false else { return }
            let (bytes, max) = (pages * StoreLimits.pageBytes, file.limits.logBytesMax)
            guard bytes > max / 2 else { return }
            let restart = SQLiteConnection.Checkpoint.restart(milliseconds: StoreLimits.logWaitMilliseconds)
            if endSnapshots(.old) {
                _ = try? connection.checkpoint(restart)
            } else if bytes > max / 4 * 3 {
                _ = endSnapshots(.idle)
                guard (try? connection.checkpoint(restart)) != true else { return }
                _ = endSnapshots(.all)
                _ = try? connection.checkpoint(restart)
            }
        }
    }

    /// Copies the log into the file, up to the oldest state that a reader still uses. Does nothing while the connection
    /// is closed.
    func checkpoint() throws {
        try writerState.withLock { writerState in _ = try writerState.connection?.checkpoint(.truncate) }
    }

    /// Checkpoints and closes the connection until the next write.
    func suspend() {
        writerState.withLock { writerState in
            guard let connection = writerState.connection else { return }
            writerState.isComplete = (try? connection.checkpoint(.passive)) == true
            connection.close()
            writerState.connection = nil
        }
    }

    /// Whether the catalogue marks the file as clean, or will do so with its next commit.
    var isClean: Bool { !isDirty.load(ordering: .relaxed) }

    /// Marks a closed file as clean if the file contains all writes of the log. This method is not called each time the
    /// file is closed, because after each call the next write must wait until the dirty mark is on disk.
    ///
    /// - Parameter isBusy: Returns whether a write waits, is in progress, or is done but some of its observers have not
    ///   been notified yet.
    func settle(isBusy: () -> Bool = { false }) {
        writerState.withLock { writerState in
            guard writerState.connection == nil, writerState.isComplete, isDirty.load(ordering: .relaxed), !isBusy()
            else { return }
            callbacks.clean(Catalogue.SeenState(epoch: epoch, sequence: writerState.state.sequence))
            isDirty.store(false, ordering: .relaxed)
        }
    }

    /// Whether the connection is open.
    var isOpen: Bool { writerState.withLock { $0.connection != nil } }

    /// Marks the file as dirty again before the next write, because another process may have marked it as clean.
    func repeatMark() { writerState.withLock { _ in isDirty.store(false, ordering: .relaxed) } }

    /// Closes the writer, after the queue of writes is closed. Later commits fail with ``StoreError/Code/closed``.
    ///
    /// - Parameter settles: Whether the file may be marked as clean.
    func close(settles: Bool) {
        suspend()
        if settles { settle() }
        writerState.withLock { writerState in
            invariant(writerState.connection == nil, "a writer that closes has closed its connection")
            writerState.isClosed = true
        }
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
