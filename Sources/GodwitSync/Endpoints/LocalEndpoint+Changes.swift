//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore

extension LocalEndpoint {
    /// Rows that are looked at before a page is handed on, however few of them are chosen.
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
            for row in slice.rows {
                guard changes.count < query.limit else {
                    hasMore = true
                    break
                }
                last = row.sequence
                rows += 1
                if try query.selection.includes(row) { changes.append(RevisionsOfDocument(row, query.selection)) }
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

    /// The page of a few documents: each is looked up, whatever else changed.
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
        self.init(
            id: row.id, revisions: selection.winnersOnly ? [row.winner.revision] : row.leaves.map(\.revision))
    }
}

extension ReplicationSelection {
    fileprivate var readsBodies: Bool {
        switch choice {
        case .selector, .closure: true
        case .everything, .ids, .function: false
        }
    }

    fileprivate func includes(_ row: DocumentRow) throws(ReplicationError) -> Bool {
        switch choice {
        case .everything, .ids: return true
        case .selector(let selector):
            do {
                let text = StoredRevision(winnerOf: row).documentText
                return selector.matches(try JSONTape(scanning: text, limits: .replicated))
            } catch {
                throw ReplicationError(.store, "\(row.id) cannot be read: \(error)")
            }
        case .closure(_, let isIncluded):
            do throws(StoreError) {
                return isIncluded(try Document(StoredRevision(winnerOf: row)))
            } catch {
                throw ReplicationError(error)
            }
        case .function(let name, _):
            throw ReplicationError(
                .invalidSelection,
                "the filter \(name) is a JavaScript function, which this Godwit does not run. Take a selector.")
        }
    }
}
