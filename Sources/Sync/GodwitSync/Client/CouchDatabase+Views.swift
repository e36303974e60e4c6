//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitQuery
import GodwitStore

extension CouchDatabase {
    /// Returns the rows of a view as a sequence, which reads them page by page (`_view`).
    ///
    /// ```swift
    /// var query = ViewQuery()
    /// query.grouping = .exact
    /// for try await row in trips.rows(of: "trips/kilometres", query) { print(row.key, row.value) }
    /// ```
    ///
    /// If the view changes during the iteration, a row may be missing or be returned twice.
    ///
    /// - Parameters:
    ///   - view: The name of the design document and the name of the view, separated by a slash.
    ///   - query: The query.
    /// - Returns: The rows. The iteration throws ``StoreError``, with code ``StoreError/Code/notFound`` if the view
    ///   does not exist and ``StoreError/Code/invalidRequest`` if `view` has no slash or the query is not valid.
    public func rows(of view: String, _ query: ViewQuery = ViewQuery()) -> Rows {
        Rows(database: self, view: view, query: query)
    }

    /// The rows of a view of a database on a server, in the order of the query.
    public struct Rows: AsyncSequence, Sendable {
        let database: CouchDatabase
        let view: String
        let query: ViewQuery

        /// Creates an iterator, which begins with the first row.
        public func makeAsyncIterator() -> Iterator { Iterator(rows: self) }

        /// Reads the rows page by page.
        public struct Iterator: AsyncIteratorProtocol {
            private let rows: Rows
            /// The query for the rows that were not read yet.
            private var query: ViewQuery
            private var page: ArraySlice<ViewRow> = []
            private var isAtEnd = false
            private var rowsPerPageMax: Int
            /// The last row that was read, and the number of rows read so far that have the same key and document as
            /// this row.
            private var last: (row: ViewRow, count: Int)?

            init(rows: Rows) {
                (self.rows, query) = (rows, rows.query)
                rowsPerPageMax = rows.database.limits.documentsPerBatchMax
            }

            /// Returns the next row; `nil` at the end.
            public mutating func next() async throws -> ViewRow? {
                if page.isEmpty, !isAtEnd { try await readPage() }
                return page.popFirst()
            }

            private mutating func readPage() async throws(StoreError) {
                while true {
                    let rowCount = Swift.min(query.limit, rowsPerPageMax)
                    var pageQuery = query
                    pageQuery.limit = rowCount
                    do throws(StoreError) {
                        let nextRows = try await rows.database.page(of: rows.view, pageQuery)
                        page = nextRows[...]
                        query.limit -= nextRows.count
                        // A server may send more rows than were requested.
                        isAtEnd = nextRows.count < rowCount || query.limit <= 0
                        if !isAtEnd { beginAfter(nextRows) }
                        return
                    } catch {
                        guard error.code == .answerTooLarge, rowCount > 1 else { throw error }
                        rowsPerPageMax = rowCount / 2
                    }
                }
            }

            /// Changes the query so that it begins after the rows of a page. For rows of documents, the query continues
            /// at the last key, which the server finds fast. For groups, and for a query with several keys, the query
            /// skips the number of rows that were read.
            private mutating func beginAfter(_ pageRows: [ViewRow]) {
                guard let lastRow = pageRows.last, let id = lastRow.id, query.keys == nil else {
                    query.skip += pageRows.count
                    return
                }
                let isSame = { (row: ViewRow) in ExactText.areEqual(row.id, id) && row.key == lastRow.key }
                var count = pageRows.reversed().prefix(while: isSame).count
                if count == pageRows.count {
                    // If the caller skips rows, some of the skipped rows may have the same key and document as the last
                    // row. Therefore, such a query continues by skipping the number of rows that were read.
                    guard last != nil || query.skip == 0 else {
                        query.skip += pageRows.count
                        return
                    }
                    if let last, isSame(last.row) { count += last.count }
                }
                last = (lastRow, count)
                if let key = query.key { (query.key, query.endKey) = (nil, key) }
                (query.startKey, query.startKeyDocumentID, query.skip) = (lastRow.key, id, count)
            }
        }
    }

    private func page(of view: String, _ query: ViewQuery) async throws(StoreError) -> [ViewRow] {
        guard let (design, name) = view.cut(at: "/") else {
            throw StoreError(.invalidRequest, "`\(view)` does not have the form design/view.")
        }
        let path = "_design/\(design.percentEncoded)/_view/\(name.percentEncoded)"
        let answer = try await json(
            .other("the view \(view)"), "POST", path, body: JSONValue.object(query.parameters).jsonBytes())
        guard answer.kind(0) == .object, let list = answer.member("rows", of: 0), answer.kind(list) == .array else {
            throw nonsense("_view has no rows")
        }
        var rows: [ViewRow] = []
        for index in answer.elements(of: list) { rows.append(try row(answer, index)) }
        return rows
    }

    private func row(_ answer: JSONTape, _ index: Int) throws(StoreError) -> ViewRow {
        let value = { (name: StaticString) throws(StoreError) -> JSONValue in
            do {
                return try answer.member(name, of: index).map { try answer.value($0) } ?? .null
            } catch {
                throw nonsense("a row of _view cannot be read")
            }
        }
        let id = answer.member("id", of: index).flatMap { answer.kind($0) == .string ? answer.string($0) : nil }
        var document: Document?
        if let documentIndex = answer.member("doc", of: index), answer.kind(documentIndex) == .object {
            document = try answer.document(documentIndex, of: url, tellsPacking: false)
        }
        return ViewRow(id: id, key: try value("key"), value: try value("value"), document: document)
    }
}

extension ViewQuery {
    /// The parameters of `_view`.
    fileprivate var parameters: JSONObject {
        var parameters: JSONObject = [:]
        parameters["key"] = key
        parameters["keys"] = keys.map { .array($0) }
        parameters["startkey"] = startKey
        parameters["startkey_docid"] = startKeyDocumentID.map { .string($0) }
        parameters["endkey"] = endKey
        parameters["endkey_docid"] = endKeyDocumentID.map { .string($0) }
        if !inclusiveEnd { parameters["inclusive_end"] = false }
        if descending { parameters["descending"] = true }
        if limit < Int.max { parameters["limit"] = .integer(Int64(limit)) }
        if skip > 0 { parameters["skip"] = .integer(Int64(skip)) }
        parameters["reduce"] = reduce.map { .bool($0) }
        switch grouping {
        case .none: break
        case .level(let level): parameters["group_level"] = .integer(Int64(level))
        case .exact: parameters["group"] = true
        }
        if includesDocuments { parameters["include_docs"] = true }
        switch update {
        case .before: break
        case .never: parameters["update"] = "false"
        case .after: parameters["update"] = "lazy"
        }
        return parameters
    }
}
