//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

import struct Synchronization.Atomic

/// A fixed state of a database, for reads that must be consistent with each other during concurrent writes.
///
/// ``Datastore/snapshot(_:)`` passes the snapshot to its closure. While a snapshot is open, SQLite cannot write the
/// database's log from its start again, so the log grows. When the log has grown to half of `logBytesMax`, the snapshots
/// end that are older than some seconds; when it has grown to three quarters, the writer waits up to a second, and all
/// end that are still open. Further reads throw ``StoreError/Code/snapshotExpired``, as do reads after the closure has
/// returned.
public final class Snapshot: Sendable {
    /// The connection that reads the snapshot's state.
    enum Source: Sendable {
        /// A reader of the pool, for an answer in slices; see ``SliceReader``.
        case lent(ReaderPool.Reader)
        /// A separate connection, for long work such as a backup. No other work gets it afterwards.
        case own(SQLiteConnection)

        var connection: SQLiteConnection {
            switch self {
            case .lent(let reader): reader.connection
            case .own(let connection): connection
            }
        }
    }

    let database: Database
    /// Whether the snapshot belongs to a ``SliceReader``, which can continue without it.
    let isKept: Bool
    private let source: Mutex<Source?>
    private let mustEnd = Atomic(false)
    private let scope: Scope
    private let start = Moment.now
    /// The time of the last read, in nanoseconds; see ``Moment``.
    private let lastUse: Atomic<UInt64>

    /// Creates a snapshot of the state that an open read transaction reads.
    init(_ source: Source, of database: Database, scope: Scope) {
        self.source = Mutex(source)
        self.database = database
        self.scope = scope
        if case .lent = source { isKept = true } else { isKept = false }
        lastUse = Atomic(start.nanoseconds)
    }

    /// Seconds since the snapshot was made.
    var age: Double { start.secondsAgo }

    /// Seconds since the last read began or ended.
    var idleSeconds: Double { Moment(nanoseconds: lastUse.load(ordering: .relaxed)).secondsAgo }

    /// Runs `body` on the snapshot's state.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/snapshotExpired`` if the snapshot has ended.
    package func read<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        guard let result = try readIfOpen(body) else { throw StoreError.snapshotExpired(database.name) }
        return result
    }

    /// Runs `body` on the snapshot's state; returns `nil` if the snapshot has ended.
    func readIfOpen<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result? {
        defer { if mustEnd.load(ordering: .sequentiallyConsistent) { end() } }
        noteUse()
        do {
            return try source.withLock { source throws in
                guard let connection = source?.connection else { return nil }
                defer {
                    if database.files.snapshots.savesMemory { connection.releaseMemory() }
                    noteUse()
                }
                return try body(DocumentTable(connection, scope: scope))
            }
        } catch {
            throw database.readFailure(error)
        }
    }

    private func noteUse() { lastUse.store(Moment.now.nanoseconds, ordering: .relaxed) }

    /// Ends the snapshot. If it is being read, it ends after this read; this method does not wait for it.
    func end() {
        mustEnd.store(true, ordering: .sequentiallyConsistent)
        let ended = source.withLockIfAvailable { source -> Source? in
            // A separate connection is closed while the lock is held, so the work that used it cannot continue before.
            if case .own(let connection)? = source { connection.close() }
            return source.take()
        }
        guard let ended else { return }
        if case .lent(let reader)? = ended { database.giveBack(reader) }
        database.files.snapshots.remove(self)
    }

    /// Reads a document's winning revision, as ``Datastore/document(_:)`` does.
    public func document(_ id: String) throws(StoreError) -> Document { try read { try $0.document(id) } }

    /// Reads documents by their ids, as ``Datastore/documents(_:)`` does.
    public func documents(_ ids: [String]) throws(StoreError) -> [Document?] {
        try read { table in try ids.map { try table.liveDocument($0) } }
    }

    /// Reads a page of documents in a range of ids, as ``Datastore/documents(in:limit:descending:)`` does.
    public func documents(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) throws(StoreError) -> [Document] {
        try read { try $0.documents(in: range, limit: limit, descending: descending) }
    }
}

extension Datastore {
    /// Runs `body` with a snapshot: one state of the database that concurrent writes do not change.
    ///
    /// - Throws: The error that `body` throws, or a ``StoreError``.
    public func snapshot<Result: Sendable>(
        _ body: (Snapshot) async throws -> Result
    ) async throws -> Result {
        let (database, scope) = (database, scope)
        let snapshot = try await BlockingPool.shared.run { try database.openSnapshot(scope: scope) }
        defer { snapshot.end() }
        return try await body(snapshot)
    }
}

extension Snapshot {
    /// Runs work that reads a snapshot. If the snapshot expires, the work begins again with another one, at most
    /// ``StoreLimits/snapshotTriesMax`` times in total.
    ///
    /// - Throws: The error of the work; ``StoreError`` with code ``StoreError/Code/snapshotExpired`` after the last try.
    package static func repeatingIfExpired<Result>(_ work: () async throws -> Result) async throws -> Result {
        for _ in 1..<StoreLimits.snapshotTriesMax {
            do {
                return try await work()
            } catch let error as StoreError where error.code == .snapshotExpired {
                // The next try may be faster than the writes.
            }
        }
        return try await work()
    }
}

extension StoreError {
    fileprivate static func snapshotExpired(_ name: String) -> StoreError {
        StoreError(
            .snapshotExpired,
            "the snapshot of \(name) ended: writes during the snapshot would have made the log exceed its limit. "
                + "Read in smaller parts, or raise logBytesMax.")
    }
}
