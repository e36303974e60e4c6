//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// One local database: documents with their revisions and attachments.
///
/// Get one from ``DatastoreManager/datastore(named:)``. It can be used from any task. A write is durable when its call
/// returns, as ``Durability`` defines; reads never wait for writes.
///
/// ```swift
/// let trips = try await manager.datastore(named: "trips")
/// var trip = try await trips.create(Document(body: ["type": "trip", "km": 42]))
/// trip.body["km"] = 43
/// trip = try await trips.update(trip)
/// ```
public final class Datastore: Sendable {
    /// The documents that the datastore reads and writes: all documents, or the documents of one owner.
    public let scope: Scope

    let database: Database

    init(_ database: Database, scope: Scope = .all) {
        self.database = database
        self.scope = scope
    }

    /// The name of the database in its manager.
    public var name: String { database.name }

    /// Whether the file of the database is encrypted.
    public var isEncrypted: Bool { database.file.disk.cipher != nil }

    /// Whether another process writes the database, and this one only reads it.
    public var isReadOnly: Bool { database.isReadOnly }

    /// The limits that the datastore applies.
    public var limits: StoreLimits { database.limits }

    /// The epoch and the instance of the database, which distinguish it from every other database.
    package var identity: DatabaseIdentity { database.identity }

    var hub: ChangeHub { database.hub }

    /// Returns a datastore that is restricted to one owner of the same database. The returned datastore contains only
    /// the documents, local documents, changes and counters of this owner. Its ids do not have the prefix that the
    /// stored ids have.
    ///
    /// - Parameter scope: The scope of an owner, or ``Scope/all``.
    public func scoped(to scope: Scope) -> Datastore { Datastore(database, scope: scope) }

    /// The number of writes that wait for the writer. Writes in progress are not counted.
    package var writesWaiting: Int { database.writesWaiting }

    /// Runs `body` in one write transaction. If `body` throws, none of its changes are stored.
    ///
    /// `body` runs on the thread of the database's writer. It must not wait for other work and must not call the
    /// datastore. Writes that wait at the same time share one commit.
    ///
    /// If design documents validate writes, each edit in `body` waits for the validation functions. All other writes to
    /// the database wait too, until `body` ends. An edit that a function rejects throws an error within `body`.
    ///
    /// - Returns: The result of `body`, when the write is durable.
    /// - Throws: The error that `body` throws, or a ``StoreError``.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write(scope: scope, rules: try rules(), body)
    }

    /// Runs `body` in one write transaction without validation functions, and converts its errors to ``StoreError``.
    package func transact<Result: Sendable>(
        source: ChangeSource = .local, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await database.write(scope: scope, source: source, body)
        } catch {
            throw StoreError(wrapping: error, subject: "writing to \(name)")
        }
    }

    /// Saves an edit that was already checked and validated.
    package func save(_ edit: IncomingDocument) async throws(StoreError) -> RevisionID {
        var edit = edit
        edit.prepare()
        let prepared = edit
        return try await transact { try $0.apply(prepared) }
    }

    /// Runs `body` with a reader on the calling thread. `body` must be short and must not wait for other work.
    ///
    /// - Throws: ``StoreError``.
    package func read<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        do {
            return try database.read { try body(DocumentTable($0, scope: scope)) }
        } catch {
            throw StoreError(wrapping: error, subject: "reading \(name)")
        }
    }

    /// Waits until the manager is no longer suspended.
    package func waitUntilActive() async throws { try await database.files.waitUntilActive() }

    /// Forgets the list of indexes and the design documents that are in memory. They may be old if another process
    /// writes the database.
    package func forgetLists() {
        database.indexes.forget()
        database.designs.forget()
    }

    /// Runs `body` in one read transaction, so that several reads see the same state of the database.
    package func readTogether<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        try read { table in try table.connection.read { try body(table) } }
    }
}
