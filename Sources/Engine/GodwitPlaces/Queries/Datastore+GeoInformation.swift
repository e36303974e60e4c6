//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
package import GodwitStore

/// Statistics of a geospatial index.
package struct GeoInformation: Sendable, Equatable {
    /// A document with omitted geometries.
    package struct Skipped: Sendable, Equatable {
        /// The document's id.
        package let id: String
        /// The number of omitted geometries of the document.
        package let count: Int
        /// The errors of these geometries.
        package let reasons: [String]
    }

    /// The number of documents with a geometry in the index.
    package let documents: Int
    /// The number of geometries in the index.
    package let geometries: Int
    /// The number of bytes of its pages.
    package let bytes: Int
    /// The number of omitted geometries.
    package let skipped: Int
    /// Documents with omitted geometries. Only the first ``GeoLimits/skippedListedMax`` such documents of the index are
    /// read, and the list contains those of them that are in the scope of the datastore.
    package let skippedDocuments: [Skipped]
}

extension Datastore {
    /// Returns the statistics of an index. If the index does not contain all changes, it is updated first.
    ///
    /// - Throws: As ``geoIndex(_:acceptsStale:)``.
    package func geoInformation(of name: GeoIndexName) async throws -> GeoInformation {
        let (index, _) = try await geoIndex(name)
        return try readTogether { table -> Result<GeoInformation, any Error> in
            Result {
                guard try table.index(index.number) != nil else { throw GeoIndexError.gone(index.name) }
                let tables = GeoTables(index, on: table.connection)
                return GeoInformation(
                    documents: try tables.documentCount(), geometries: try tables.count(), bytes: try tables.bytes(),
                    skipped: try tables.skippedCount(), skippedDocuments: try tables.skippedDocuments(in: table.scope))
            }
        }.get()
    }
}

extension GeoTables {
    /// Returns the number of omitted geometries.
    fileprivate func skippedCount() throws -> Int {
        let statement = try connection.statement(composed: "SELECT coalesce(sum(count), 0) FROM \(skipped)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// Returns the first documents with omitted geometries.
    fileprivate func skippedDocuments(in scope: Scope) throws -> [GeoInformation.Skipped] {
        let statement = try connection.statement(
            composed: "SELECT id, count, reasons FROM \(skipped) ORDER BY document LIMIT \(GeoLimits.skippedListedMax)")
        defer { statement.reset() }
        var documents: [GeoInformation.Skipped] = []
        while try statement.step() {
            let id = statement.string(0)
            guard id.utf8.starts(with: scope.prefix.utf8) else { continue }
            let reasons = (try? JSONValue(parsing: statement.string(2)))?.arrayValue ?? []
            documents.append(
                .init(id: scope.visible(id), count: statement.int(1), reasons: reasons.compactMap(\.stringValue)))
        }
        return documents
    }
}
