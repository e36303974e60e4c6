//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSelector
package import GodwitStore
package import GodwitText

/// The execution of one query: applies `skip` and `limit`, sorts in memory if no index has the order, and provides the
/// bookmark for the next page.
///
/// A `QueryRun` is not thread-safe, so only one task at a time may use it. `QueryRun` is a class because it is large. A
/// struct would be part of the frame of each asynchronous function that uses it, so each slow reader of `_find` would
/// need 50 KB more memory.
package final class QueryRun {
    /// The current plan. It is replaced if an index that it reads is deleted during the query.
    package private(set) var plan: QueryPlan
    let prepared: PreparedQuery
    private let datastore: Datastore
    var cursor: QueryCursor
    private(set) var sorter: MemorySort?
    private(set) var skip: Int
    /// The number of documents that may still be returned.
    var left: Int
    var hasFound = false
    private let bookmark: Bookmark?
    /// The number of times that the query may be planned again because an index was deleted.
    private var plansLeft: Int

    /// Plans a query, after waiting for the required indexes that are being built.
    ///
    /// - Throws: ``QueryError``, ``StoreError``, or the error of building an index.
    package init(_ prepared: PreparedQuery, in datastore: Datastore) async throws {
        self.prepared = prepared
        self.datastore = datastore
        bookmark = try Bookmark.asked(by: prepared)
        var plansLeft = QueryLimits.plansMax
        plan = try await QueryRun.plan(prepared, in: datastore, bookmark, &plansLeft)
        guard !plan.accesses.isEmpty else { throw QueryError.noSortIndex }
        self.plansLeft = plansLeft
        skip = prepared.query.skip
        left = prepared.query.limit
        (cursor, sorter) = Self.makeCursor(of: plan, in: datastore, after: bookmark?.position)
    }

    /// Returns the plan of a query without running it.
    package static func plan(for prepared: PreparedQuery, in datastore: Datastore) async throws -> QueryPlan {
        var plansLeft = QueryLimits.plansMax
        return try await plan(prepared, in: datastore, try Bookmark.asked(by: prepared), &plansLeft)
    }

    private static func makeCursor(
        of plan: QueryPlan, in datastore: Datastore, after position: QueryPosition?
    ) -> (QueryCursor, MemorySort?) {
        guard plan.sortsInMemory else { return (QueryCursor(plan, in: datastore, after: position), nil) }
        return (QueryCursor(plan, in: datastore), MemorySort(plan, in: datastore, after: position))
    }

    /// Starts again with another plan. This method may be called only while no document has been returned yet.
    ///
    /// - Throws: ``QueryError`` when no index has the order after a deletion.
    private func restart(with newPlan: QueryPlan) throws {
        invariant(!hasFound && skip == prepared.query.skip, "a query begins again before its first document")
        guard !newPlan.accesses.isEmpty else { throw QueryError.noSortIndex }
        plan = newPlan
        (cursor, sorter) = Self.makeCursor(of: plan, in: datastore, after: nil)
    }

    private static func plan(
        _ prepared: PreparedQuery, in datastore: Datastore, _ bookmark: Bookmark?, _ plansLeft: inout Int,
        usesMemory: Bool = true
    ) async throws -> QueryPlan {
        while true {
            do {
                try await awaitIndexes(for: prepared, in: datastore)
                var planner = try QueryPlanner(
                    prepared, in: datastore, QueryIndexes.current(in: datastore), usesMemory: usesMemory)
                return try bookmark.map { try planner.plan(like: $0) } ?? planner.plan()
            } catch {
                try retryUnlessExhausted(error, in: datastore, &plansLeft)
            }
        }
    }

    /// Counts that an index was deleted before the query read it. If this method does not throw, the caller plans the
    /// query again.
    ///
    /// - Throws: The given error, if its cause is not a deleted index, or if the query was planned too often.
    private static func retryUnlessExhausted(
        _ error: any Error, in datastore: Datastore, _ plansLeft: inout Int
    ) throws {
        plansLeft -= 1
        guard (error as? StoreError)?.code == .indexNotFound, plansLeft > 0 else { throw error }
        if datastore.isReadOnly { datastore.forgetLists() }
    }

    /// Completes all incomplete indexes if the query has a sort, names an index, or has a `$text` or `$near`. For other
    /// queries, completes the indexes that lack at most ``QueryLimits/changesTestedMax`` changes, and waits for a
    /// limited time for other indexes that the query would use. If another process builds the indexes, returns at once.
    private static func awaitIndexes(for prepared: PreparedQuery, in datastore: Datastore) async throws {
        guard !datastore.isReadOnly else { return }
        if prepared.selector.usesText { try await datastore.renewTextIndexes() }
        let isNeeded =
            !prepared.sort.isEmpty || !prepared.query.index.isEmpty || prepared.selector.usesText
            || prepared.selector.places.contains { $0.condition.isNear }
        let end = ContinuousClock.now + QueryLimits.indexWait
        for index in try QueryIndexes.current(in: datastore).behind {
            let isShort = datastore.updateSequence.number - index.sequence <= QueryLimits.changesTestedMax
            if isNeeded || isShort {
                _ = try await datastore.catchUp(index)
            } else if prepared.query.awaitsIndexes, prepared.wouldUse(index) {
                try await wait(for: index, until: end, in: datastore)
            }
        }
    }

    /// Waits until an index is complete, at most until a deadline. After the deadline, the index continues to be built.
    /// If building fails, the query reads all documents.
    private static func wait(
        for index: IndexDescription, until end: ContinuousClock.Instant, in datastore: Datastore
    ) async throws {
        await withTaskGroup { group in
            group.addTask { _ = try? await datastore.catchUp(index) }
            group.addTask { try? await Task.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Returns the next documents; empty when no more documents exist or the query's limit is reached.
    ///
    /// - Parameter bytesMax: The number of bytes of documents after which the array ends.
    /// - Throws: ``QueryError`` when no index has the order after a deletion, or when too many documents would have to
    ///   be sorted. ``StoreError``. `CancellationError`.
    package func next(bytesMax: Int = QueryLimits.sliceBytesMax) async throws -> [FoundDocument] {
        while true {
            do {
                return sorter == nil
                    ? try await nextFound(bytesMax: bytesMax) : try await nextSorted(bytesMax: bytesMax)
            } catch {
                // After documents were returned in the order of the failed plan, no other plan can continue.
                guard !hasFound, bookmark == nil else { throw error }
                try QueryRun.retryUnlessExhausted(error, in: datastore, &plansLeft)
                skip = prepared.query.skip
                try restart(with: try await QueryRun.plan(prepared, in: datastore, nil, &plansLeft))
            }
        }
    }

    private func nextFound(bytesMax: Int) async throws -> [FoundDocument] {
        guard left > 0 else { return [] }
        while !cursor.isAtEnd {
            let wanted = left.addingReportingOverflow(skip)
            var found = try await cursor.nextOffloaded(
                upTo: wanted.overflow ? .max : wanted.partialValue, bytesMax: bytesMax)
            if try await restarted(after: found.count) { continue }
            if cursor.mustYield {
                await Task.yield()
                try Task.checkCancellation()
            }
            if skip > 0 {
                let skipped = min(skip, found.count)
                found.removeFirst(skipped)
                skip -= skipped
            }
            if !found.isEmpty {
                invariant(skip == 0, "no document is returned before all documents to skip were found")
                hasFound = true
                left -= found.count
                invariant(left >= 0, "a query returns no more documents than its limit")
                return found
            }
            await Task.yield()
            try Task.checkCancellation()
        }
        return []
    }

    /// Plans again if the index of a stored choice has many entries and few results for the values of this query.
    ///
    /// - Returns: Whether the query starts again. If so, the documents that were just found are discarded.
    private func restarted(after found: Int) async throws -> Bool {
        let examined = cursor.statistics.keysExamined
        guard !plan.remembered.isEmpty, examined > QueryLimits.countedEntriesMax, examined > found * 4 else {
            return false
        }
        for shape in plan.remembered { try QueryIndexes.current(in: datastore).distrust(shape) }
        guard !hasFound, bookmark == nil, skip == prepared.query.skip else { return false }
        let newPlan = try await QueryRun.plan(prepared, in: datastore, nil, &plansLeft, usesMemory: false)
        guard !newPlan.sortsInMemory else { return false }
        try restart(with: newPlan)
        return true
    }

    private func nextSorted(bytesMax: Int) async throws -> [FoundDocument] {
        guard left > 0 else { return [] }
        let found = try await sorter?.next(&cursor, skip: skip, upTo: left, bytesMax: bytesMax) ?? []
        skip = 0
        left -= found.count
        invariant(left >= 0, "a query returns no more documents than its limit")
        hasFound = hasFound || !found.isEmpty
        return found
    }

    /// Returns the number of results if counting index entries suffices; `nil` otherwise.
    func countedEntries(in datastore: Datastore) throws(StoreError) -> Int? {
        guard plan.isExact, case .json(let access) = plan.accesses[0], !access.mayRepeat else { return nil }
        return try datastore.readTogether { table in
            try table.isComplete(access.index) ? access.count(upTo: .max, in: table) : nil
        }
    }

    /// The cost so far.
    package var statistics: QueryStatistics {
        var statistics = cursor.statistics
        statistics.resultsReturned = plan.prepared.query.limit - left
        return statistics
    }

    /// The bookmark for the next page. If nothing was found, this is the bookmark that the query itself has, or `nil`
    /// for the first page.
    package var nextBookmark: String? { end.map { Bookmark(plan, at: $0).text } ?? bookmark?.text }

    /// The position of the last document; `nil` when nothing was found.
    var end: QueryPosition? { hasFound ? sorter?.position ?? cursor.position : nil }

    /// The warnings about the execution, with CouchDB's texts; `nil` when the query has no warnings.
    package var warning: String? {
        let warnings = plan.warnings + scanWarning
        return warnings.isEmpty ? nil : warnings.joined(separator: "\n")
    }

    private var scanWarning: [String] {
        let (examined, returned) = (statistics.documentsExamined, max(1, statistics.resultsReturned))
        guard examined > returned * 10 else { return [] }
        return [
            "The number of documents examined is high in proportion to the number of results returned. Consider adding a "
                + "more specific index to improve this."
        ]
    }
}
