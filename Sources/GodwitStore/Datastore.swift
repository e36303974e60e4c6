//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// One database: documents with their revisions and attachments, on this disk.
///
/// Get one from ``DatastoreManager/datastore(named:)``. All calls may come from any task. A write is durable when its
/// call returns, as ``Durability`` says; reads never wait for writes.
///
/// ```swift
/// let trips = try await manager.datastore(named: "trips")
/// var trip = try await trips.create(Document(body: ["type": "trip", "km": 42]))
/// trip.body["km"] = 43
/// trip = try await trips.update(trip)
/// ```
public final class Datastore: Sendable {
    /// The name under which the manager knows it.
    public let name: String

    /// The limits that it keeps.
    public let limits: StoreLimits

    package let identity: DatabaseIdentity
    let hub: ChangeHub
    private let path: String
    private let writes: WriteQueue
    private let writer: DatabaseWriter
    private let readers: ReaderPool

    /// Opens a database file. Blocks: call it on the blocking pool.
    init(name: String, path: String, durability: Durability, limits: StoreLimits) throws {
        let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false))
        try FileFormat.check(connection, path: path)
        try connection.configureWriter(
            synchronous: durability.synchronous, cacheBytes: limits.writerCacheBytes,
            checkpointPages: limits.checkpointPages)
        let tables = try connection.rareTables()
        if tables.contains(.blobs) { try connection.sweepOrphans() }
        let (state, identity) = try DatabaseState.read(from: connection)
        self.name = name
        self.path = path
        self.limits = limits
        self.identity = identity
        hub = ChangeHub(state)
        writer = DatabaseWriter(
            connection: connection, state: state, tables: tables, hub: hub, limits: limits, path: path)
        writes = WriteQueue(writer: writer, pool: .shared, limits: limits)
        readers = ReaderPool(path: path, limits: limits)
    }

    /// How many writes wait for the writer now, those under way not counted.
    package var writesWaiting: Int { writes.waitingCount }

    /// Runs `body` in one write transaction and gives its result when it is durable.
    ///
    /// Writes that wait at the same time share one commit. When `body` throws, nothing of it is kept.
    ///
    /// - Throws: ``StoreError``.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await writes.write(body)
        } catch {
            throw StoreError(wrapping: error, subject: "writing to \(name)")
        }
    }

    /// Runs `body` with a reader on the calling thread. Keep it short: it must not wait for anything.
    ///
    /// - Throws: ``StoreError``.
    package func read<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        do {
            return try readers.read { try body(DocumentTable($0)) }
        } catch {
            throw StoreError(wrapping: error, subject: "reading \(name)")
        }
    }

    /// Runs `body` over one state of the database.
    package func snapshot<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        do {
            return try readers.read { reader in try reader.read { try body(DocumentTable(reader)) } }
        } catch {
            throw StoreError(wrapping: error, subject: "reading \(name)")
        }
    }

    /// Finishes the writes that were taken, closes readers before the writer, and ends all feeds.
    func close() async {
        hub.close()
        await writes.close()
        await readers.close()
        let writer = writer
        try? await BlockingPool.shared.run { writer.close() }
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

    /// Removes uploads that never became a document's attachment.
    fileprivate func sweepOrphans() throws {
        let blobs = BlobTable(connection: self)
        for number in try blobs.orphans() { try write { try blobs.remove(number) } }
    }
}
