//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitJSON
import GodwitSQLite
package import GodwitStore

/// What there is to know of a geospatial index.
package struct GeoInformation: Sendable, Equatable {
    /// A document of which geometries were left out.
    package struct Skipped: Sendable, Equatable {
        package let id: String
        /// How many of its geometries.
        package let count: Int
        /// What is wrong with them.
        package let reasons: [String]
    }

    /// How many documents have a geometry in it.
    package let documents: Int
    /// How many geometries it has.
    package let geometries: Int
    /// The bytes of its pages.
    package let bytes: Int
    /// How many geometries were left out.
    package let skipped: Int
    /// The first of the documents that have such.
    package let skippedDocuments: [Skipped]
}

extension Datastore {
    /// What there is to know of an index.
    ///
    /// - Throws: ``GeoIndexError`` when there is none.
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
    /// How many geometries were left out.
    fileprivate func skippedCount() throws -> Int {
        let statement = try connection.statement(composed: "SELECT coalesce(sum(count), 0) FROM \(skipped)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// The first documents of which something was left out.
    fileprivate func skippedDocuments(in scope: Scope) throws -> [GeoInformation.Skipped] {
        let statement = try connection.statement(
            composed: "SELECT id, count, reasons FROM \(skipped) ORDER BY document LIMIT \(GeoLimits.skippedListedMax)")
        defer { statement.reset() }
        var found: [GeoInformation.Skipped] = []
        while try statement.step() {
            let id = statement.string(0)
            guard id.utf8.starts(with: scope.prefix.utf8) else { continue }
            let reasons = (try? JSONValue(parsing: statement.string(2)))?.arrayValue ?? []
            found.append(
                .init(id: scope.visible(id), count: statement.int(1), reasons: reasons.compactMap(\.stringValue)))
        }
        return found
    }
}
