//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// One write of a database: what is read and written in it stays together or not at all.
///
/// ``Datastore/write(_:)`` hands it to its closure, on the writer's thread. It is of no use after that.
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
    /// Who writes, for those who watch the changes.
    let source: ChangeSource
    /// What the edits of a caller's closure are held against; `nil` for nothing.
    private let rules: (any WriteRules)?
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

    package var limits: StoreLimits { group.limits }

    var connection: SQLiteConnection { group.connection }

    /// Runs a part of the write; when it throws, nothing of the part stays.
    func nested(_ part: () throws -> Void) throws { try group.nested(part) }

    /// Saves an edit that the rules of the database let in.
    func saveChecked(_ edit: IncomingDocument) throws -> RevisionID {
        try checkIsOpen()
        if let refusal = try rules?.refusal(of: edit, in: documents) { throw refusal }
        return try save(edit)
    }

    /// Refuses the use of a transaction that was kept beyond its closure.
    func checkIsOpen() throws(StoreError) {
        guard !group.isOver else {
            throw StoreError(.closed, "the write transaction is over. Use it within the closure that it was given to.")
        }
    }
}
