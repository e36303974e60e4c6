//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitThreads

/// A fixed state of a database, for reads that must be consistent with each other during concurrent writes.
///
/// ``Datastore/snapshot(_:)`` passes the snapshot to its closure. While a snapshot is open, SQLite cannot write the
/// database's log from its start again, so the log grows. When the log has grown to half of `logBytesMax`, the snapshot
/// ends and further reads throw ``StoreError/Code/snapshotExpired``. Reads after the closure has returned throw the
/// same error.
public final class Snapshot: Sendable {
    private let connection: Mutex<SQLiteConnection?>
    private let scope: Scope
    private let name: String

    init(_ connection: SQLiteConnection, scope: Scope, name: String) {
        self.connection = Mutex(connection)
        self.scope = scope
        self.name = name
    }

    /// Runs `body` on the snapshot's state.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/snapshotExpired`` if the snapshot has ended.
    package func read<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        do {
            return try connection.withLock { connection throws in
                guard let connection else { throw StoreError.snapshotExpired(name) }
                return try body(DocumentTable(connection, scope: scope))
            }
        } catch {
            throw StoreError(wrapping: error, subject: "reading \(name)")
        }
    }

    /// Ends the snapshot and closes its connection.
    func expire() {
        connection.withLock { connection in
            connection?.close()
            connection = nil
        }
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
        let file = database.file
        let connection = try await BlockingPool.shared.run {
            let connection = try file.openReader()
            // A value is read because the state of a transaction is fixed only at its first read.
            try connection.execute("BEGIN; SELECT one FROM state")
            return connection
        }
        let snapshot = Snapshot(connection, scope: scope, name: name)
        hub.add(snapshot)
        defer {
            hub.remove(snapshot)
            snapshot.expire()
        }
        return try await body(snapshot)
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
