//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// Sorts the results of a query if no index has the order of the query. Stores keys and ids, not documents.
struct MemorySort: Sendable {
    private struct Entry {
        let key: [UInt8]
        let id: [UInt8]
    }

    private let plan: QueryPlan
    private let datastore: Datastore
    /// The position of the last returned document.
    private(set) var position: QueryPosition?
    private let definition: JSONIndexDefinition
    private let matcher: DocumentMatcher
    private var entries: ArraySlice<Entry>?

    init(_ plan: QueryPlan, in datastore: Datastore, after position: QueryPosition?) {
        self.plan = plan
        self.datastore = datastore
        self.position = position
        // Documents are sorted by the keys that an index of the fields would have.
        definition = JSONIndexDefinition(fields: plan.prepared.sort)
        matcher = DocumentMatcher(plan)
    }

    /// Returns the next documents in order.
    mutating func next(
        _ cursor: inout QueryCursor, skip: Int, upTo countMax: Int, bytesMax: Int
    ) async throws -> [FoundDocument] {
        if entries == nil { entries = try await sorted(&cursor).dropFirst(skip) }
        var remainingCount = min(countMax, datastore.limits.sliceRowsMax)
        var entries = entries ?? []
        defer { self.entries = entries }
        let matcher = matcher
        var position = position
        let found = try cursor.slices.read { table, isLast in
            var (documents, bytes): ([FoundDocument], Int) = ([], 0)
            let meter = WorkMeter()
            while remainingCount > 0, documents.isEmpty || bytes < bytesMax && meter?.isSliceOver != true,
                let entry = entries.popFirst()
            {
                position = QueryPosition(access: 0, key: entry.key, id: entry.id)
                // If the state could not be kept, the document may have changed since its key was stored. Therefore, it
                // is tested again.
                let id = table.scope.visible(String(decoding: entry.id, as: UTF8.self))
                guard let row = try table.row(id: id), !row.winner.isDeleted else { continue }
                bytes += row.body.count
                guard let document = try matcher.foundAgain(row, meter: meter) else { continue }
                documents.append(document)
                remainingCount -= 1
            }
            isLast = entries.isEmpty || documents.count == countMax
            return documents
        }
        self.position = position
        return found
    }

    private func sorted(_ cursor: inout QueryCursor) async throws -> [Entry] {
        var entries: [Entry] = []
        var bytes = 0
        let scope = datastore.scope
        while !cursor.isAtEnd {
            for document in try await cursor.nextOffloaded(upTo: .max) {
                guard let row = document.row else { continue }
                let tape = try JSONTape(scanning: StoredRevision(winnerOf: row).documentText, limits: .stored)
                let key = definition.wholeKey(of: tape, id: row.id)
                entries.append(Entry(key: key, id: Array(scope.stored(row.id).utf8)))
                bytes += key.count + row.id.utf8.count
            }
            try WorkBudget.current?.take(bytes: bytes)
            bytes = 0
            guard entries.count <= QueryLimits.sortedRowsMax else { throw QueryError.tooManyToSort }
            await Task.yield()
            try Task.checkCancellation()
        }
        if let position {
            let start = Entry(key: position.key, id: position.id)
            entries.removeAll { !Self.precedes(start, $0) }
        }
        return entries.sorted(by: Self.precedes)
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.key == right.key { return left.id.lexicographicallyPrecedes(right.id) }
        return left.key.lexicographicallyPrecedes(right.key)
    }
}
