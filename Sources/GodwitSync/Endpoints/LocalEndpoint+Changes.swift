//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitThreads

extension LocalEndpoint {
    /// The maximum number of rows examined for one page, even if few of them match.
    private static let rowsPerPageMax = 20_000

    /// See ``DatabaseEndpoint/changes(_:)``.
    public func changes(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage {
        let since = query.after.flatMap { UpdateSequence($0) } ?? .zero
        let start = datastore.start(of: since)
        let page = try await page(after: start, query)
        guard query.waits, page.changes.isEmpty, page.isLast else { return page }
        let end = UpdateSequence(page.lastSequence)?.number ?? start
        guard await datastore.waitForChange(after: end) else {
            if Task.isCancelled { throw ReplicationError(.cancelled, "the replication was cancelled") }
            throw ReplicationError(.store, "the database \(datastore.name) was closed or deleted")
        }
        return try await self.page(after: start, query)
    }

    private func page(after start: Int64, _ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage {
        if case .ids(let ids) = query.selection.choice { return try page(after: start, of: ids, query) }
        if let page = try await indexedPage(after: start, query) { return page }
        let filter = try filter(of: query.selection)
        let readsBodies = query.selection.readsBodies
        var last = start
        var changes: [RevisionsOfDocument] = []
        var rows = 0
        var hasMore = true
        while hasMore, changes.count < query.limit, rows < LocalEndpoint.rowsPerPageMax {
            let slice = try stored { () throws(StoreError) in
                try datastore.changes(
                    after: last, detail: readsBodies ? .bodies : .leaves,
                    rowsMax: readsBodies ? .max : query.limit - changes.count)
            }
            hasMore = slice.hasMore
            for filtered in try await shown(slice.rows, query.selection, filter) {
                guard changes.count < query.limit else {
                    hasMore = true
                    break
                }
                last = filtered.row.sequence
                rows += 1
                if !filtered.leaves.isEmpty { changes.append(RevisionsOfDocument(filtered)) }
            }
            if readsBodies { await Task.yield() }
        }
        let end = last
        let pending = try stored { () throws(StoreError) in
            hasMore ? try datastore.read { try $0.countChanges(after: end) } : 0
        }
        return ChangesPage(
            changes: changes, lastSequence: datastore.sequence(last).description, pending: pending, isLast: !hasMore)
    }

    /// The rows of a slice that the selection contains.
    private func shown(
        _ rows: [DocumentRow], _ selection: ReplicationSelection, _ filter: (any ChangeFilter)?
    ) async throws(ReplicationError) -> [FilteredRow] {
        guard let filter else {
            var yielder = LoopYielder()
            var shown: [FilteredRow] = []
            for row in rows {
                let isIncluded = try selection.includes(row, yielder.meter)
                shown.append(FilteredRow(row: row, leaves: isIncluded ? selection.leaves(of: row) : []))
                if yielder.isOver { await yielder.next() }
            }
            return shown
        }
        do {
            let slice = try datastore.read { try FilterSlice(rows, allLeaves: !selection.winnersOnly, from: $0) }
            return try await filter.filtered(slice)
        } catch {
            throw ReplicationError(.store, "the filter of the replication: \(error)")
        }
    }

    /// The filter function of a design document, or `nil` if the selection has none.
    private func filter(of selection: ReplicationSelection) throws(ReplicationError) -> (any ChangeFilter)? {
        guard case .function(let name, _) = selection.choice else { return nil }
        guard let function = selection.function else {
            throw ReplicationError(.invalidSelection, "the filter \(name) does not have the form design/function")
        }
        guard let kind = datastore.changeFilters else {
            throw ReplicationError(
                .invalidSelection,
                "the filter \(name): the databases were opened without JavaScript: open them with "
                    + "DatastoreManager(directory:scripts:).")
        }
        do {
            guard let filter = try kind.filter(function, in: datastore) else {
                throw ReplicationError(
                    .invalidSelection, "\(datastore.name) has no design document \(function.design)",
                    status: 404)
            }
            return filter
        } catch let error as ReplicationError {
            throw error
        } catch {
            throw ReplicationError(.invalidSelection, "the filter \(name): \(error)")
        }
    }

    /// A page of the documents that match a selector, found by an index, or `nil` if no index serves the selector.
    private func indexedPage(after start: Int64, _ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage? {
        guard case .selector(let selector) = query.selection.choice,
            var candidates = try stored({ () throws(StoreError) in
                try datastore.changeCandidates(for: selector, after: start)
            })
        else { return nil }
        var changes: [RevisionsOfDocument] = []
        var last = start
        while changes.count < query.limit, !candidates.sequences.isEmpty {
            let limits = datastore.limits
            let rows = try stored { () throws(StoreError) in
                try datastore.read { table in
                    try table.rows(
                        at: &candidates.sequences, rowsMax: min(query.limit - changes.count, limits.sliceRowsMax),
                        bytesMax: limits.sliceBytesMax)
                }
            }
            last = rows.last?.sequence ?? last
            var yielder = LoopYielder()
            for row in rows {
                if try query.selection.includes(row, yielder.meter) {
                    changes.append(RevisionsOfDocument(row, query.selection))
                }
                if yielder.isOver { await yielder.next() }
            }
            await Task.yield()
        }
        let isLast = candidates.sequences.isEmpty
        return ChangesPage(
            changes: changes, lastSequence: datastore.sequence(isLast ? candidates.last : last).description,
            pending: candidates.sequences.count, isLast: isLast)
    }

    /// A page of the changes of a few documents, each of which is looked up by its id.
    private func page(
        after start: Int64, of ids: [String], _ query: ChangesQuery
    ) throws(ReplicationError) -> ChangesPage {
        let latest = datastore.updateSequence.number
        var rows = try stored { () throws(StoreError) in
            var found: [DocumentRow] = []
            for id in ids {
                if let row = try datastore.read({ try $0.row(id: id) }), row.sequence > start { found.append(row) }
            }
            return found
        }
        rows.sort { $0.sequence < $1.sequence }
        let page = rows.prefix(query.limit)
        let isLast = page.count == rows.count
        return ChangesPage(
            changes: page.map { RevisionsOfDocument($0, query.selection) },
            lastSequence: datastore.sequence(isLast ? max(latest, start) : page.last!.sequence).description,
            pending: rows.count - page.count, isLast: isLast)
    }
}

extension RevisionsOfDocument {
    fileprivate init(_ row: DocumentRow, _ selection: ReplicationSelection) {
        self.init(FilteredRow(row: row, leaves: selection.leaves(of: row)))
    }

    fileprivate init(_ filtered: FilteredRow) {
        self.init(id: filtered.row.id, revisions: filtered.leaves.map(\.revision))
    }
}

extension ReplicationSelection {
    fileprivate var readsBodies: Bool {
        switch choice {
        case .selector, .closure, .function: true
        case .everything, .ids: false
        }
    }

    fileprivate func leaves(of row: DocumentRow) -> [RevisionTree.Leaf] { winnersOnly ? [row.winner] : row.leaves }

    fileprivate func includes(_ row: DocumentRow, _ meter: WorkMeter?) throws(ReplicationError) -> Bool {
        switch choice {
        case .everything, .ids, .function: return true
        case .selector(let selector):
            do {
                meter?.spend(readingBytes: row.body.count)
                let text = StoredRevision(winnerOf: row).documentText
                return try selector.matches(try JSONTape(scanning: text, limits: .replicated), id: row.id, meter)
            } catch {
                throw ReplicationError(.store, "\(row.id) cannot be read: \(error)")
            }
        case .closure(_, let isIncluded):
            do throws(StoreError) {
                return isIncluded(try Document(StoredRevision(winnerOf: row)))
            } catch {
                throw ReplicationError(error)
            }
        }
    }
}
