//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// A document that is never replicated, such as a checkpoint.
package struct LocalDocument: Equatable, Sendable {
    /// The id after `_local/`.
    package let id: String
    /// The number of times it was written; on the wire `0-N`.
    package let revision: Int
    /// The body's JSON, without members that begin with an underscore.
    package let body: [UInt8]

    /// The revision as CouchDB writes it.
    package var revisionText: String { "0-\(revision)" }
}

extension WriteTransaction {
    /// Writes a local document. Like CouchDB, it overwrites what is there without a check of revisions.
    ///
    /// - Parameters:
    ///   - id: The id after `_local/`.
    ///   - previous: The number of the revision that the writer knew; 0 for none.
    ///   - body: The body's JSON.
    /// - Returns: The number of the new revision.
    package func saveLocal(id: String, previous: Int, body: [UInt8]) throws -> Int {
        let statement = try connection.statement("INSERT OR REPLACE INTO local VALUES(?1, ?2, ?3)")
        statement.bind(scope.stored(id), at: 1)
        statement.bind(previous + 1, at: 2)
        statement.bind(body, at: 3)
        try statement.run()
        return previous + 1
    }

    /// Removes a local document.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package func removeLocal(id: String) throws -> Bool {
        let statement = try connection.statement("DELETE FROM local WHERE id = ?1")
        statement.bind(scope.stored(id), at: 1)
        try statement.run()
        return connection.changedRows == 1
    }
}

extension DocumentTable {
    /// Local documents of a range of ids, in bytewise order or against it, at most `sliceRowsMax`.
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
        var found: [LocalDocument] = []
        while try statement.step() {
            let id = scope.visible(statement.string(0))
            found.append(
                LocalDocument(id: id, revision: statement.int(1), body: try statement.body(2, of: "_local/\(id)")))
        }
        return found
    }

    /// A local document; `nil` when there is none.
    package func local(id: String) throws -> LocalDocument? {
        let statement = try connection.statement("SELECT revision, body FROM local WHERE id = ?1")
        defer { statement.reset() }
        statement.bind(scope.stored(id), at: 1)
        guard try statement.step() else { return nil }
        return LocalDocument(
            id: id, revision: statement.int(0), body: try statement.body(1, of: "_local/\(id)"))
    }
}
