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
    /// Whose documents it shows and writes.
    public let scope: Scope

    let database: Database

    init(_ database: Database, scope: Scope = .all) {
        self.database = database
        self.scope = scope
    }

    /// The name under which the manager knows it.
    public var name: String { database.name }

    /// Whether its file is encrypted.
    public var isEncrypted: Bool { database.file.disk.cipher != nil }

    /// The limits that it keeps.
    public var limits: StoreLimits { database.limits }

    package var identity: DatabaseIdentity { database.identity }

    var hub: ChangeHub { database.hub }

    /// The same database as one of its owners sees it: documents, ids, local documents, changes and counters are that
    /// owner's alone.
    ///
    /// - Parameter scope: An owner's, or ``Scope/all``.
    public func scoped(to scope: Scope) -> Datastore { Datastore(database, scope: scope) }

    /// How many writes wait for the writer now, those under way not counted.
    package var writesWaiting: Int { database.writesWaiting }

    /// Runs `body` in one write: all that it does is kept together, or nothing when it throws.
    ///
    /// It runs on the thread of the database's writer, so it should not wait for anything else, and must not call the
    /// datastore. Writes that wait at the same time share one commit.
    ///
    /// Where design documents validate writes, each edit of `body` waits for their functions, and other writers with it. One
    /// that is refused throws within `body`.
    ///
    /// - Returns: What `body` returned, once it is durable.
    /// - Throws: What `body` threw, or a ``StoreError``.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write(scope: scope, rules: try rules(), body)
    }

    /// Runs `body` in one write whose failures are the store's own.
    package func transact<Result: Sendable>(
        source: ChangeSource = .local, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await database.write(scope: scope, source: source, body)
        } catch {
            throw StoreError(wrapping: error, subject: "writing to \(name)")
        }
    }

    /// Runs `body` with a reader on the calling thread. Keep it short: it must not wait for anything.
    ///
    /// - Throws: ``StoreError``.
    package func read<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        do {
            return try database.read { try body(DocumentTable($0, scope: scope)) }
        } catch {
            throw StoreError(wrapping: error, subject: "reading \(name)")
        }
    }

    /// The same over one state of the database, for what takes several look-ups.
    package func readTogether<Result>(_ body: (DocumentTable) throws -> Result) throws(StoreError) -> Result {
        try read { table in try table.connection.read { try body(table) } }
    }
}
