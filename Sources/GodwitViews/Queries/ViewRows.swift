//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

extension Datastore {
    /// The rows of a view, read as they are asked for.
    ///
    /// ```swift
    /// var query = ViewQuery()
    /// query.grouping = .exact
    /// for try await row in trips.rows(of: "trips/kilometres", query) { print(row.key, row.value) }
    /// ```
    ///
    /// The view is brought up to date first, unless the query says otherwise: the functions of its design document run over what
    /// has changed since it was last asked for.
    ///
    /// - Parameters:
    ///   - view: The design document's name and the view's, with a slash between.
    ///   - query: Which rows, and how.
    /// - Returns: The rows. Iterating throws ``ViewError`` for a view that is not there or a query that cannot be, ``ScriptError``
    ///   when a function fails, ``StoreError``.
    public func rows(of view: String, _ query: ViewQuery = ViewQuery()) -> ViewRows {
        ViewRows(datastore: self, view: view, query: query)
    }
}

/// A row of a view.
public struct ViewRow: Sendable {
    /// The document that it is of; `nil` in a reduced query.
    public let id: String?
    /// What was emitted as its key, or the key of a group; null for all rows in one.
    public let key: JSONValue
    /// What was emitted with it, or what the group's rows reduce to.
    public let value: JSONValue
    /// The document, or the one that the value names as `_id`, where the query wants them and it is there.
    public let document: Document?
}

/// The rows of a view, in the order of the query.
public struct ViewRows: AsyncSequence, Sendable {
    let datastore: Datastore
    let view: String
    let query: ViewQuery

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(rows: self) }

    /// Reads rows slice by slice.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Reading {
            case notBegun
            case rows(ViewCursor)
            case groups(GroupCursor)
        }

        private let rows: ViewRows
        private var reading = Reading.notBegun
        private var slice: ArraySlice<ViewRow> = []

        init(rows: ViewRows) { self.rows = rows }

        /// The next row; `nil` at the end.
        public mutating func next() async throws -> ViewRow? {
            while slice.isEmpty {
                guard let more = try await nextSlice() else { return nil }
                slice = more[...]
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
                let slice = try rows.datastore.readTogether { table in
                    try cursor.next(from: table)?.map { try rows.row($0, from: table) }
                }
                reading = .rows(cursor)
                return slice
            case .groups(var cursor):
                guard let groups = try rows.datastore.readTogether({ try cursor.next(from: $0) }) else { return nil }
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
        let names = view.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2 else {
            throw ViewError.invalidQuery("`\(view)` is not of the form design/view.")
        }
        return try await datastore.plan(query, view: names[1], design: DocumentID.designPrefix + names[0])
    }

    private func row(_ row: StoredRow, from table: DocumentTable) throws -> ViewRow {
        var document: Document?
        if query.includesDocuments, let found = try row.document(from: table) {
            document = try Document(found.revision)
        }
        return ViewRow(
            id: row.id, key: try JSONValue(parsing: row.key), value: try JSONValue(parsing: row.value),
            document: document)
    }
}

extension StoredRow {
    /// The row's document, or the one that its value names (`_id`, and `_rev` where it has one); `nil` when it is not there.
    package func document(from table: DocumentTable) throws -> (row: DocumentRow, revision: StoredRevision)? {
        let link = link
        guard let found = try table.row(id: link?.id ?? id), !found.winner.isDeleted else { return nil }
        guard let revision = link?.revision else { return (found, StoredRevision(winnerOf: found)) }
        return try table.revision(revision, of: found).map { (found, $0) }
    }

    private var link: (id: String?, revision: RevisionID?)? {
        guard value.first == UInt8(ascii: "{"), let tape = try? JSONTape(scanning: value) else { return nil }
        let text = { (name: String) in
            tape.member(name, of: 0).flatMap { tape.kind($0) == .string ? tape.string($0) : nil }
        }
        return (text("_id"), text("_rev").flatMap { RevisionID($0) })
    }
}
