//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitQuery
public import GodwitStore

extension Datastore {
    /// Returns the rows of a view as a sequence, which reads them on demand.
    ///
    /// ```swift
    /// var query = ViewQuery()
    /// query.grouping = .exact
    /// for try await row in trips.rows(of: "trips/kilometres", query) { print(row.key, row.value) }
    /// ```
    ///
    /// By default, the view is updated first: the functions of its design document process the changes since its last
    /// update.
    ///
    /// - Parameters:
    ///   - view: The name of the design document and the name of the view, separated by a slash.
    ///   - query: The query.
    /// - Returns: The rows. The iteration throws ``StoreError``, ``ScriptError`` when a function fails, and
    ///   ``ViewError`` in these cases:
    ///   - The view does not exist, or it is grouped by partition.
    ///   - The query is not valid.
    ///   - The datastore is restricted to an owner.
    public func rows(of view: String, _ query: ViewQuery = ViewQuery()) -> ViewRows {
        ViewRows(datastore: self, view: view, query: query)
    }
}

/// The rows of a view, in the order of the query.
public struct ViewRows: AsyncSequence, Sendable {
    let datastore: Datastore
    let view: String
    let query: ViewQuery

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(rows: self) }

    /// Reads rows in slices.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Reading {
            case notBegun
            case rows(ViewCursor)
            case groups(GroupCursor)
        }

        private let rows: ViewRows
        private let slices: SliceReader
        private var reading = Reading.notBegun
        private var slice: ArraySlice<ViewRow> = []

        init(rows: ViewRows) {
            self.rows = rows
            slices = SliceReader(rows.datastore)
        }

        /// Returns the next row; `nil` at the end.
        public mutating func next() async throws -> ViewRow? {
            while slice.isEmpty {
                guard let nextRows = try await nextSlice() else { return nil }
                slice = nextRows[...]
            }
            return slice.popFirst()
        }

        private mutating func nextSlice() async throws -> [ViewRow]? {
            switch reading {
            case .notBegun:
                let plan = try await rows.plan()
                reading = plan.reduces ? .groups(GroupCursor(plan)) : .rows(ViewCursor(plan))
                return []
            case .rows(var cursor):
                let slice = try slices.read { table, isLast in
                    let slice = try cursor.next(from: table)?.map { try rows.row($0, from: table) }
                    isLast = slice == nil || cursor.isAtEnd
                    return slice
                }
                reading = .rows(cursor)
                return slice
            case .groups(var cursor):
                let groups = try slices.read { table, isLast in
                    let groups = try cursor.next(from: table)
                    isLast = groups == nil || cursor.isAtEnd
                    return groups
                }
                guard let groups else { return nil }
                let slice = try await cursor.reduce(groups).map { row in
                    ViewRow(
                        id: nil, key: try JSONValue(parsing: row.key), value: try JSONValue(parsing: row.value.get()),
                        document: nil)
                }
                reading = .groups(cursor)
                return slice
            }
        }
    }

    private func plan() async throws -> ViewPlan {
        guard let (design, name) = view.cut(at: "/") else {
            throw ViewError.invalidQuery("`\(view)` does not have the form design/view.")
        }
        return try await datastore.plan(query, view: name, design: DocumentID.designPrefix + design)
    }

    private func row(_ row: StoredRow, from table: DocumentTable) throws -> ViewRow {
        var document: Document?
        if query.includesDocuments, let stored = try row.document(from: table) {
            document = try Document(stored.revision)
        }
        return ViewRow(
            id: row.id, key: try JSONValue(parsing: row.key), value: try JSONValue(parsing: row.value),
            document: document)
    }
}

extension StoredRow {
    /// Returns the row's document, or the document that its value specifies (`_id`, and optionally `_rev`). Returns
    /// `nil` when the document does not exist, is deleted, or does not have the specified revision.
    package func document(from table: DocumentTable) throws -> (row: DocumentRow, revision: StoredRevision)? {
        let target = specifiedDocument
        guard let row = try table.row(id: target?.id ?? id), !row.winner.isDeleted else { return nil }
        guard let revision = target?.revision else { return (row, StoredRevision(winnerOf: row)) }
        return try table.revision(revision, of: row).map { (row, $0) }
    }

    /// The document and the revision that the value specifies; `nil` when the value is not an object.
    private var specifiedDocument: (id: String?, revision: RevisionID?)? {
        guard value.first == UInt8(ascii: "{"), let tape = try? JSONTape(scanning: value) else { return nil }
        let stringMember = { (name: String) in
            tape.member(name, of: 0).flatMap { tape.kind($0) == .string ? tape.string($0) : nil }
        }
        return (stringMember("_id"), stringMember("_rev").flatMap { RevisionID($0) })
    }
}
