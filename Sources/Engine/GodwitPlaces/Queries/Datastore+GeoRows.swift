//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitQuery
import GodwitSQLite
package import GodwitStore

/// A page of results of a geospatial query, in the order of the query.
package struct GeoRows<Row: Sendable>: Sendable {
    /// The results, at most as many as the limit of the query; empty for none.
    package let rows: [Row]
    /// The bookmark for the next page. If nothing was found, this is the bookmark that the query contains, or an empty
    /// string for the first page.
    package let bookmark: String
    /// Whether the query found as many geometries as its limit, so that more results may follow.
    package let isFull: Bool
}

/// The document of a found geometry. Only its id is known at first: ``row(detail:)`` reads the document.
package struct GeoFoundDocument {
    /// The document's id, as the scope of the query sees it.
    package let id: String
    private let number: Int64
    private let table: DocumentTable

    fileprivate init(_ found: GeoFound, in table: DocumentTable) {
        id = table.scope.visible(found.position.storedID)
        number = found.document
        self.table = table
    }

    /// Reads the document in the read transaction of the query; `nil` when the document is deleted.
    package func row(detail: RowDetail = .bodies) throws -> DocumentRow? {
        try table.row(number: number, id: id, detail: detail).flatMap { $0.winner.isDeleted ? nil : $0 }
    }
}

/// An error of a geospatial query.
package enum GeoQueryError: Error, Equatable {
    /// The bookmark is invalid, or belongs to another query.
    case invalidBookmark(String)
}

extension Datastore {
    /// Runs a geospatial query.
    ///
    /// The query starts on the calling thread. If it exceeds a small budget, it runs again on a separate thread, where
    /// it does not block other work.
    ///
    /// - Parameter row: A closure that creates the result for a geometry and its document, within the read. If it
    ///   returns `nil`, the geometry is omitted.
    /// - Throws: ``GeometryError``, ``GeoQueryError``, ``GeoIndexError``, or a ``StoreError``.
    package func geoRows<Row: Sendable>(
        _ query: GeoQuery, of index: IndexDescription,
        row: @escaping @Sendable (GeoFound, GeoFoundDocument) throws -> Row?
    ) async throws -> GeoRows<Row> {
        let bookmark = try query.bookmark.map { text in
            guard let bookmark = GeoBookmark(text, of: query) else { throw GeoQueryError.invalidBookmark(text) }
            return bookmark
        }
        let budget = GeoWalk.Budget(
            examinedMax: GeoLimits.examinedOnCallerMax, secondsMax: GeoLimits.secondsOnCallerMax)
        if query.area.isLight, let rows = try geoRows(query, of: index, after: bookmark, budget, row) { return rows }
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await BlockingPool.geometry.run {
                let budget = GeoWalk.Budget { isCancelled.withLock { $0 } }
                guard let rows = try self.geoRows(query, of: index, after: bookmark, budget, row) else {
                    throw GeometryError.queryTooCostly
                }
                return rows
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func geoRows<Row: Sendable>(
        _ query: GeoQuery, of index: IndexDescription, after bookmark: GeoBookmark?, _ budget: GeoWalk.Budget,
        _ row: (GeoFound, GeoFoundDocument) throws -> Row?
    ) throws -> GeoRows<Row>? {
        let walk = try GeoWalk(query)
        let limit = query.hitsWanted
        let skip = max(0, min(query.skip, GeoLimits.skipMax))
        return try readTogether { table -> Result<GeoRows<Row>?, any Error> in
            Result {
                guard try table.index(index.number) != nil else { throw GeoIndexError.gone(index.name) }
                let walked = try walk.page(of: index, in: table, after: bookmark?.position, limit: skip + limit, budget)
                guard let pageHits = walked?.dropFirst(skip) else { return nil }
                let rows = try pageHits.compactMap { try row($0, GeoFoundDocument($0, in: table)) }
                let nextBookmark = pageHits.last.map { GeoBookmark($0.position, of: query).text } ?? query.bookmark
                return GeoRows(rows: rows, bookmark: nextBookmark ?? "", isFull: pageHits.count == limit)
            }
        }.get()
    }
}

extension GeometryError {
    /// The query took too long.
    package static let queryTooCostly = GeometryError(
        .tooCostly,
        "the query was stopped after \(GeoLimits.querySecondsMax) seconds. Use a smaller area or a simpler shape.")
}

extension SearchArea {
    /// Whether preparing the area takes negligible time.
    package var isLight: Bool {
        if case .geometry(let geometry) = self {
            geometry.positionCount <= GeoLimits.positionsOnCallerMax
        } else {
            true
        }
    }
}
