//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
import GodwitTransport

extension CouchDatabase {
    /// See ``DocumentStore/documents(_:)``. A long list is read in several requests.
    public func documents(_ ids: [String]) async throws(StoreError) -> [Document?] {
        var documents: [Document?] = []
        var count = limits.documentsPerBatchMax
        while documents.count < ids.count {
            let batch = ids[documents.count...].prefix(count)
            do throws(StoreError) {
                documents += try await readBatch(batch)
            } catch {
                guard error.code == .answerTooLarge, batch.count > 1 else { throw error }
                count = batch.count / 2
            }
        }
        return documents
    }

    private func readBatch(_ ids: ArraySlice<String>) async throws(StoreError) -> [Document?] {
        let body: JSONValue = ["keys": .array(ids.map { .string($0) })]
        let answer = try await json(
            .other("reading documents"), "POST", "_all_docs?include_docs=true&att_encoding_info=true",
            body: body.jsonBytes())
        let rows = answer.list("rows", of: 0)
        guard rows.count == ids.count else { throw nonsense("_all_docs does not have a row for each id") }
        var documents: [Document?] = []
        for row in rows {
            guard let documentIndex = answer.member("doc", of: row), answer.kind(documentIndex) == .object else {
                documents.append(nil)
                continue
            }
            let document = try answer.document(documentIndex, of: url)
            documents.append(document.isDeleted ? nil : document)
        }
        return documents
    }

    /// See ``DocumentStore/documents(in:limit:descending:)``. A long list is read in several requests.
    public func documents(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) async throws(StoreError) -> [Document] {
        try await pages(in: range, limit: limit, descending, "&include_docs=true&att_encoding_info=true") {
            answer, row throws(StoreError) in
            guard let document = answer.member("doc", of: row) else { throw nonsense("a row has no document") }
            return try answer.document(document, of: url)
        }
    }

    /// See ``DocumentStore/documentIDs(in:limit:descending:)``.
    public func documentIDs(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) async throws(StoreError) -> [String] {
        try await pages(in: range, limit: limit, descending, "") { answer, row in answer.text("id", of: row) }
    }

    /// Reads pages of `_all_docs` until the limit is reached.
    private func pages<Item>(
        in range: IDRange, limit: Int, _ descending: Bool, _ query: String,
        _ item: (JSONTape, Int) throws(StoreError) -> Item
    ) async throws(StoreError) -> [Item] {
        var range = range
        var items: [Item] = []
        var count = limits.documentsPerBatchMax
        while items.count < limit, !range.isEmpty {
            let rowCount = min(limit - items.count, count)
            let answer: JSONTape
            do throws(StoreError) {
                answer = try await json(
                    .other("listing documents"), "GET",
                    "_all_docs?limit=\(rowCount + range.excludedRowCount(descending))\(range.query(descending))\(query)"
                )
            } catch {
                guard error.code == .answerTooLarge, rowCount > 1 else { throw error }
                count = rowCount / 2
                continue
            }
            let allRows = answer.list("rows", of: 0)
            let rows = allRows.filter { !range.excludesStart(answer.text("id", of: $0), descending) }.prefix(rowCount)
            for row in rows { items.append(try item(answer, row)) }
            guard let last = rows.last, rows.count == rowCount else { break }
            range.goOn(after: answer.text("id", of: last), descending: descending)
        }
        return items
    }
}

extension IDRange {
    /// Whether the upper bound is before the lower bound.
    fileprivate var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return upper.utf8.lexicographicallyPrecedes(lower.utf8)
    }

    /// The parameters of `_all_docs` for this range. In `_all_docs`, the start of a range is always inclusive.
    fileprivate func query(_ descending: Bool) -> String {
        let (start, end) = descending ? (upper, lower) : (lower, upper)
        let endIsIncluded = descending ? lowerIsIncluded : upperIsIncluded
        var query = descending ? "&descending=true" : ""
        if let start { query += "&startkey=\(JSONValue.string(start).jsonText().percentEncoded)" }
        if let end {
            query += "&endkey=\(JSONValue.string(end).jsonText().percentEncoded)&inclusive_end=\(endIsIncluded)"
        }
        return query
    }

    /// The number of rows to request in addition to the rows of the range. It is 1 if the start of the range is
    /// exclusive, because the server also returns a document that has this id.
    fileprivate func excludedRowCount(_ descending: Bool) -> Int {
        descending ? (upper != nil && !upperIsIncluded ? 1 : 0) : (lower != nil && !lowerIsIncluded ? 1 : 0)
    }

    fileprivate func excludesStart(_ id: String, _ descending: Bool) -> Bool {
        guard excludedRowCount(descending) == 1, let start = descending ? upper : lower else { return false }
        return id.utf8.elementsEqual(start.utf8)
    }
}
