//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitGeo
import GodwitJSON
import GodwitQuery
import GodwitSQLite
package import GodwitStore

/// Which index is asked.
package struct GeoIndexName: Sendable, Hashable {
    /// The id of the design document; `nil` for any.
    package let design: String?
    /// The name there; `nil` for the only one.
    package let name: String?

    package init(design: String?, name: String?) { (self.design, self.name) = (design, name) }

    /// Reads `name` or `design/name`.
    package init(_ text: String?) {
        guard let text, let slash = text.firstIndex(of: "/") else {
            self.init(design: nil, name: text)
            return
        }
        self.init(
            design: DocumentID.designPrefix + text[..<slash], name: String(text[text.index(after: slash)...]))
    }
}

/// The kind of the geospatial indexes that functions make.
package let functionIndexKind = "geo_function"

/// Members of design documents by their names and what is written there.
private let writtenDefinitions = DefinitionMemory { text -> GeoIndexDefinition in
    let member = try JSONValue(parsing: text)
    return try GeoIndexDefinition(named: member[0]?.stringValue ?? "", member[1] ?? .null)
}

extension Datastore {
    /// An index with its definition, brought up to date where that is wanted.
    ///
    /// - Throws: ``GeoIndexError`` when there is none.
    package func geoIndex(
        _ name: GeoIndexName, acceptsStale: Bool = false
    ) async throws -> (index: IndexDescription, definition: GeoIndexDefinition) {
        let (index, definition) = try await knownGeoIndex(name)
        guard index.state == .behind, !acceptsStale else { return (index, definition) }
        do {
            guard try await catchUp(index) else { throw GeoIndexError.gone(index.name) }
        } catch let error as StoreError {
            // What its function says against it is told as it is.
            if let cause = error.cause, !(cause is SQLiteError) { throw cause }
            throw error
        }
        return (index, definition)
    }

    private func knownGeoIndex(
        _ name: GeoIndexName
    ) async throws -> (index: IndexDescription, definition: GeoIndexDefinition) {
        if let design = name.design, let name = name.name { return try await geoIndex(name, of: design) }
        let known = try indexDescriptions().filter { index in
            index.kind == GeoIndex.kindName && name.name.map { $0 == index.name } ?? true
        }
        guard known.count == 1 else {
            if known.isEmpty, let name = name.name { throw GeoIndexError.missing(name) }
            throw GeoIndexError.ambiguous(
                known.map { "\($0.design.dropFirst(DocumentID.designPrefix.count))/\($0.name)" })
        }
        return (known[0], try GeoIndex.definition(of: known[0]))
    }

    private func geoIndex(
        _ name: String, of design: String
    ) async throws -> (index: IndexDescription, definition: GeoIndexDefinition) {
        guard let row = try read({ try $0.row(id: design) }), !row.winner.isDeleted else {
            throw GeoIndexError.missing(name)
        }
        let indexes = try JSONValue(parsing: row.body)[IndexRequest.geoMember]
        guard let indexes = indexes ?? .object([:]) as JSONValue?, let members = indexes.objectValue else {
            throw GeoIndexError.invalidObject
        }
        guard let written = members[name] else { throw GeoIndexError.missing(name) }
        let definition = try writtenDefinitions.definition(JSONValue.array([.string(name), written]).jsonBytes())
        return (try await index(of: definition, name: name, design: design), definition)
    }

    /// The index of a definition; it is made when the design document came while nobody knew such indexes here.
    private func index(
        of definition: GeoIndexDefinition, name: String, design: String
    ) async throws -> IndexDescription {
        let isFunction = if case .function = definition.source { true } else { false }
        if isFunction, scope.owner != nil { throw GeoIndexError.notOfOwners(name) }
        let kind = isFunction ? functionIndexKind : GeoIndex.kindName
        guard indexKinds.contains(where: { $0.kind == kind }) else {
            throw GeoIndexError.unkept(index: name, design: design)
        }
        let (text, owner) = (definition.text, isFunction ? IndexDescription.shared : scope.stored(design))
        func find() throws -> IndexDescription? {
            try indexDescriptions().first {
                $0.kind == kind && $0.definition == text && $0.design == owner && (isFunction || $0.name == name)
            }
        }
        if let index = try find() { return index }
        try await makeIndexes(of: design)
        guard let index = try find() else { throw GeoIndexError.gone(name) }
        return index
    }
}
