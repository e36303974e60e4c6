//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// A document that is never replicated, such as a checkpoint.
package struct LocalDocument: Equatable, Sendable {
    /// The id after `_local/`.
    package let id: String
    /// The number `N` of the revision `0-N` in CouchDB's API. It is one more than the number that the writer of this
    /// revision had read.
    package let revision: Int
    /// The body's JSON, without members that begin with an underscore.
    package let body: [UInt8]

    /// The revision in CouchDB's form.
    package var revisionText: String { "0-\(revision)" }
}

extension WriteTransaction {
    /// Writes a local document. As in CouchDB, it overwrites the existing document without a check of revisions.
    ///
    /// - Parameters:
    ///   - id: The id after `_local/`.
    ///   - previous: The number of the revision that the writer has read; 0 if it has read no revision.
    ///   - body: The body's JSON.
    /// - Returns: The number of the new revision.
    package func saveLocal(id: String, previous: Int, body: [UInt8]) throws -> Int {
        let statement = try connection.statement("INSERT OR REPLACE INTO local VALUES(?1, ?2, ?3)")
        statement.bind(scope.stored(id), at: 1)
        let revision = previous.addingSaturated(1)
        statement.bind(revision, at: 2)
        statement.bind(body, at: 3)
        try statement.run()
        return revision
    }

    /// Removes a local document.
    ///
    /// - Returns: Whether the document existed.
    @discardableResult
    package func removeLocal(id: String) throws -> Bool {
        let statement = try connection.statement("DELETE FROM local WHERE id = ?1")
        statement.bind(scope.stored(id), at: 1)
        try statement.run()
        return connection.changedRows == 1
    }
}

extension DocumentTable {
    /// The local documents in a range of ids, in ascending or descending bytewise order, at most `rowsMax`.
    package func locals(in range: IDRange, descending: Bool, rowsMax: Int = 500) throws -> [LocalDocument] {
        let order = descending ? "DESC" : "ASC"
        let (above, below) = (range.lowerIsIncluded ? ">=" : ">", range.upperIsIncluded ? "<=" : "<")
        let statement = try connection.statement(
            composed: """
                SELECT id, revision, body FROM local WHERE id \(above) ?1 AND (?2 IS NULL OR id \(below) ?2)
                ORDER BY id \(order) LIMIT ?3
                """)
        defer { statement.reset() }
        statement.bind(scope.stored(range.lower ?? ""), at: 1)
        if let end = range.upper.map(scope.stored) ?? scope.end {
            statement.bind(end, at: 2)
        } else {
            statement.bindNull(at: 2)
        }
        statement.bind(rowsMax, at: 3)
        var localDocuments: [LocalDocument] = []
        while try statement.step() {
            let id = scope.visible(statement.string(0))
            localDocuments.append(
                LocalDocument(id: id, revision: statement.int(1), body: try statement.body(2, of: "_local/\(id)")))
        }
        return localDocuments
    }

    /// A local document; `nil` if it is absent.
    package func local(id: String) throws -> LocalDocument? {
        let statement = try connection.statement("SELECT revision, body FROM local WHERE id = ?1")
        defer { statement.reset() }
        statement.bind(scope.stored(id), at: 1)
        guard try statement.step() else { return nil }
        return LocalDocument(
            id: id, revision: statement.int(0), body: try statement.body(1, of: "_local/\(id)"))
    }
}
