//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitQuery
package import GodwitSelector
package import GodwitStore

extension GeoIndex: GeoIndexKind {
    package func definition(path: String?) -> (text: [UInt8], entry: JSONValue)? {
        let path = path ?? GeoIndexDefinition.usualPath
        guard let rule = GeoRule(path: path) else { return nil }
        return (GeoIndexDefinition(.rule(rule)).text, ["index": ["geometry": .string(path)]])
    }

    /// Returns the properties of an index, and whether selectors can use it. Returns `nil` if a JavaScript function
    /// finds the geometries of the index.
    ///
    /// Selectors cannot use an index that a function defines, even if its rule is derived from the function. Such an
    /// index may omit geometries that a selector must find, for example a collection without coordinates. Selectors
    /// also cannot use an index in another coordinate system, because it contains different coordinates.
    package func listing(of index: IndexDescription) throws -> GeoIndexListing? {
        let definition = try Self.definition(of: index)
        guard case .rule(let rule) = definition.source else { return nil }
        return GeoIndexListing(
            definition: [rule.isDeclared ? "geometry" : GeoIndexDefinition.functionName: .string(rule.path.text)],
            path: rule.path.text, servesSelectors: definition.system == .wgs84 && rule.isDeclared)
    }

    package func search(_ index: IndexDescription, for condition: any GeoCondition) -> any GeoSearch {
        AreaSearch(index, for: condition)
    }
}

/// The search of an index for the geometries that match a selector's condition.
private struct AreaSearch: GeoSearch {
    private let index: IndexDescription
    private let query: GeoQuery

    init(_ index: IndexDescription, for condition: any GeoCondition) {
        guard let condition = condition as? AreaCondition else {
            preconditionFailure("The condition is not one that GeospatialQueries registered with the indexes.")
        }
        self.index = index
        var query = GeoQuery(condition.area, relation: condition.relation)
        query.metresMin = condition.metresMin
        self.query = query
    }

    func hits(after position: GeoSearchHit.Position?, limit: Int, in table: DocumentTable) throws -> [GeoSearchHit] {
        let position = try position.map { try GeoPosition(key: $0.key, storedID: $0.storedID) }
        return try mappingErrors {
            let page = try GeoWalk(query).page(
                of: index, in: table, after: position, limit: limit, GeoWalk.Budget(), keepsGeometries: false)
            guard let page else { throw GeometryError.queryTooCostly }
            return page.map { GeoSearchHit(position: $0.position.position, document: $0.document) }
        }
    }

    func firstPosition(of hit: GeoSearchHit, in table: DocumentTable) throws -> GeoSearchHit.Position? {
        guard try GeoTables(index, on: table.connection).hasSeveral(hit.document) else { return nil }
        return try mappingErrors {
            try GeoWalk(query).firstPlace(
                of: hit.document, storedID: hit.position.storedID, in: index, on: table.connection)
        }?.position
    }

    func count(upTo most: Int, in table: DocumentTable) throws -> Int {
        try GeoWalk(query).count(of: index, in: table, upTo: most)
    }

    func sequences(after sequence: Int64, most: Int, in table: DocumentTable) throws -> Set<Int64> {
        try Set(GeoWalk(query).sequences(of: index, in: table, after: sequence, most: most))
    }

    private func mappingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as GeometryError {
            throw StoreError(geo: error, subject: "")
        }
    }
}

extension GeoPosition {
    fileprivate var position: GeoSearchHit.Position { GeoSearchHit.Position(key: key, storedID: storedID) }
}
