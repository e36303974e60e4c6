//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore

/// Puts what a query finds in order where no index has it. It keeps keys and ids, not documents.
struct MemorySort: Sendable {
    private struct Entry {
        let key: [UInt8]
        let id: String
    }

    private let plan: QueryPlan
    private let datastore: Datastore
    private let start: QueryPlace?
    private let definition: JSONIndexDefinition
    private let matcher: DocumentMatcher
    private var entries: ArraySlice<Entry>?

    init(_ plan: QueryPlan, in datastore: Datastore, after place: QueryPlace?) {
        self.plan = plan
        self.datastore = datastore
        start = place
        // The key of an entry of an index over the fields is what it is sorted by.
        definition = JSONIndexDefinition(fields: plan.prepared.sort)
        matcher = DocumentMatcher(plan)
    }

    /// The next documents in order.
    mutating func next(_ cursor: inout QueryCursor, skip: Int, upTo wanted: Int) async throws -> [FoundDocument] {
        if entries == nil { entries = try await sorted(&cursor).dropFirst(skip) }
        let datastore = datastore
        let slice = entries?.prefix(min(wanted, datastore.limits.sliceRowsMax)) ?? []
        entries = entries?.dropFirst(slice.count)
        let matcher = matcher
        return try datastore.read { table in
            try slice.compactMap { entry in
                // It may have changed since it was found.
                guard let row = try table.row(id: table.scope.visible(entry.id)), !row.winner.isDeleted else {
                    return nil
                }
                return try matcher.found(row, at: QueryPlace(access: 0, key: entry.key, id: entry.id), isKnown: true)
            }
        }
    }

    private func sorted(_ cursor: inout QueryCursor) async throws -> [Entry] {
        var entries: [Entry] = []
        while !cursor.isAtEnd {
            for document in try cursor.next(upTo: .max) {
                guard let row = document.row else { continue }
                let tape = try JSONTape(scanning: StoredRevision(winnerOf: row).documentText, limits: .stored)
                let key = definition.entries(of: tape, id: row.id)[0].key
                entries.append(Entry(key: key, id: document.place.id))
            }
            guard entries.count <= QueryLimits.sortedRowsMax else { throw QueryError.missingSortLimit }
            await Task.yield()
            try Task.checkCancellation()
        }
        if let start {
            let start = Entry(key: start.key, id: start.id)
            entries.removeAll { !Self.precedes(start, $0) }
        }
        return entries.sorted(by: Self.precedes)
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.key == right.key { return left.id.utf8.lexicographicallyPrecedes(right.id.utf8) }
        return left.key.lexicographicallyPrecedes(right.key)
    }
}
