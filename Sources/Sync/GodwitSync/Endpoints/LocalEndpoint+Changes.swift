//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitQuery
import GodwitStore
public import GodwitTransport

extension LocalEndpoint {
    /// The maximum number of rows that are examined for one page, even if few of them match.
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
        let filter = try feedFilter(of: query.selection)
        var source = try stored { () throws(StoreError) in
            try FilteredChanges(of: datastore, filter, allLeaves: !query.selection.winnersOnly, after: start)
        }
        var changes: [RevisionsOfDocument] = []
        var (lastExamined, examinedCount) = (start, 0)
        var surplus: ArraySlice<FilteredRow> = []
        while !source.isAtEnd, changes.count < query.limit, examinedCount < LocalEndpoint.rowsPerPageMax {
            surplus = try await next(of: &source, rowsMax: query.limit - changes.count)[...]
            while changes.count < query.limit, let filtered = surplus.popFirst() {
                lastExamined = filtered.row.sequence
                examinedCount += 1
                if !filtered.leaves.isEmpty { changes.append(RevisionsOfDocument(filtered)) }
            }
        }
        if surplus.isEmpty { lastExamined = max(lastExamined, source.last) }
        let (isLast, end) = (surplus.isEmpty && source.isAtEnd, lastExamined)
        var pending = isLast ? 0 : source.candidatesLeft
        if pending == nil {
            pending = try stored { () throws(StoreError) in try datastore.read { try $0.countChanges(after: end) } }
        }
        return ChangesPage(
            changes: changes, lastSequence: datastore.sequence(end).description, pending: pending ?? 0, isLast: isLast)
    }

    private func next(
        of source: inout FilteredChanges, rowsMax: Int
    ) async throws(ReplicationError) -> [FilteredRow] {
        do {
            return try await source.next(rowsMax: rowsMax)
        } catch let error as StoreError {
            throw ReplicationError(error)
        } catch is CancellationError {
            throw ReplicationError(.cancelled, "the replication was cancelled")
        } catch {
            throw ReplicationError(.store, "the filter of the replication: \(error)")
        }
    }

    private func feedFilter(of selection: ReplicationSelection) throws(ReplicationError) -> FeedFilter {
        switch selection.choice {
        case .everything: .everything
        case .ids(let ids): .ids(Set(ids.map(ExactText.init)))
        case .selector(let selector): .selector(selector)
        case .closure(_, let isIncluded): .closure(isIncluded)
        case .function(let name, _): .function(try function(name, of: selection))
        }
    }

    /// Finds the filter function of a design document.
    private func function(
        _ name: String, of selection: ReplicationSelection
    ) throws(ReplicationError) -> any ChangeFilter {
        guard let function = selection.function else {
            throw ReplicationError(.invalidSelection, "the filter \(name) does not have the form design/function")
        }
        guard let filterProvider = datastore.changeFilters else {
            throw ReplicationError(
                .invalidSelection,
                "the filter \(name): the databases were opened without JavaScript: open them with "
                    + "DatastoreManager(directory:scripts:).")
        }
        do {
            guard let filter = try filterProvider.filter(function, in: datastore) else {
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

}

extension RevisionsOfDocument {
    fileprivate init(_ filtered: FilteredRow) {
        self.init(id: filtered.row.id, revisions: filtered.leaves.map(\.revision))
    }
}
