//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
package import GodwitGeo
import GodwitQuery
import GodwitSQLite
package import GodwitStore
import GodwitThreads

/// What a page of a geospatial query found, in its order.
package struct GeoRows<Row: Sendable>: Sendable {
    package let rows: [Row]
    /// For the next page: the query's own where nothing was found.
    package let bookmark: String
    /// Whether there may be more.
    package let isFull: Bool
}

/// The document of a geometry that was found, which is read for those who want more of it than its id.
package struct GeoFoundDocument {
    package let id: String
    private let number: Int64
    private let table: DocumentTable

    fileprivate init(_ found: GeoFound, in table: DocumentTable) {
        id = table.scope.visible(found.position.storedID)
        number = found.document
        self.table = table
    }

    /// The document as it is in this read; `nil` when it is deleted.
    package func row(detail: RowDetail = .bodies) throws -> DocumentRow? {
        try table.row(number: number, id: id, detail: detail).flatMap { $0.winner.isDeleted ? nil : $0 }
    }
}

/// Why a geospatial query cannot be answered.
package enum GeoQueryError: Error, Equatable {
    /// The bookmark is of another query.
    case invalidBookmark(String)
}

extension Datastore {
    /// Answers a geospatial query.
    ///
    /// The first steps are taken on the thread that asks. A query that must look at much goes on where waiting harms nobody.
    ///
    /// - Parameter row: Makes what is wanted of a geometry and the document that has it, within the read; `nil` leaves it
    ///   out.
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
        let limit = max(0, min(query.limit, GeoLimits.hitsMax))
        let skip = max(0, min(query.skip, GeoLimits.skipMax))
        return try readTogether { table -> Result<GeoRows<Row>?, any Error> in
            Result {
                guard try table.index(index.number) != nil else { throw GeoIndexError.gone(index.name) }
                let all = try walk.page(of: index, in: table, after: bookmark?.position, limit: skip + limit, budget)
                guard let found = all?.dropFirst(skip) else { return nil }
                let rows = try found.compactMap { try row($0, GeoFoundDocument($0, in: table)) }
                let next = found.last.map { GeoBookmark($0.position, of: query).text } ?? query.bookmark
                return GeoRows(rows: rows, bookmark: next ?? "", isFull: found.count == limit)
            }
        }.get()
    }
}

extension GeometryError {
    /// A query took too long.
    package static let queryTooCostly = GeometryError(
        .tooCostly,
        "the query was ended after \(GeoLimits.querySecondsMax) seconds. Ask for a smaller area or by a simpler shape.")
}

extension SearchArea {
    /// Whether it is prepared in no time.
    package var isLight: Bool {
        if case .geometry(let geometry) = self {
            geometry.positionCount <= GeoLimits.positionsOnCallerMax
        } else {
            true
        }
    }
}
