//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// A transaction that reads and writes a database. Either all its changes are stored, or none of them.
///
/// ``Datastore/write(_:)`` passes a transaction to its closure, on the writer's thread. Do not use it after the closure
/// has returned. An edit after the end of the commit throws ``StoreError/Code/closed``. An edit between the end of the
/// closure and the end of the commit is not detected.
///
/// ```swift
/// try await trips.write { transaction in
///     var trip = try transaction.document("a")
///     trip.body["km"] = 43
///     trip = try transaction.update(trip)
///     try transaction.delete("b")
/// }
/// ```
public final class WriteTransaction {
    let group: GroupTransaction
    let scope: Scope
    /// The origin of the changes, for listeners.
    let source: ChangeSource
    /// The rules that validate the edits of a caller's closure; `nil` for no validation.
    private let rules: (any WriteRules)?
    /// The documents as this transaction sees them, including its own changes.
    package let documents: DocumentTable
    let blobs: BlobTable

    init(_ group: GroupTransaction, scope: Scope, source: ChangeSource, rules: (any WriteRules)? = nil) {
        self.group = group
        self.scope = scope
        self.source = source
        self.rules = rules
        documents = DocumentTable(group.connection, scope: scope)
        blobs = BlobTable(connection: group.connection)
    }

    /// The limits that the database applies.
    package var limits: StoreLimits { group.limits }

    var connection: SQLiteConnection { group.connection }

    /// Runs a part of the write. If it throws, the changes of the part are rolled back.
    func nested(_ part: () throws -> Void) throws { try group.nested(part) }

    /// Validates an edit and saves it.
    func saveChecked(_ edit: IncomingDocument) throws -> RevisionID {
        try checkIsOpen()
        if let refusal = try rules?.refusal(of: edit, in: documents) { throw refusal }
        return try save(edit)
    }

    /// Throws ``StoreError/Code/closed`` if the commit has ended.
    func checkIsOpen() throws(StoreError) {
        guard !group.isOver else {
            throw StoreError(.closed, "the write transaction has ended. Use it only within its closure.")
        }
    }
}
