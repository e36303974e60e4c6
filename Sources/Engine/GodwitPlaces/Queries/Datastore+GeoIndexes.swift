//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSQLite
package import GodwitStore

/// The name of a geospatial index, optionally with its design document.
package struct GeoIndexName: Sendable, Hashable {
    /// The id of the design document. `nil` for an index in any design document. In this case, indexes of the kind
    /// ``functionIndexKind`` are not found. This property is ignored if `name` is `nil`.
    package let design: String?
    /// The name of the index. `nil` for the only geospatial index of the database that is not of the kind
    /// ``functionIndexKind``. If the database does not have exactly one such index, the name is ambiguous.
    package let name: String?

    /// Creates a name from the id of a design document and the name of an index. Each of the two may be `nil`.
    package init(design: String?, name: String?) { (self.design, self.name) = (design, name) }

    /// Parses `name` or `design/name`.
    package init(_ text: String?) {
        guard let text, let (design, name) = text.cut(at: "/") else {
            self.init(design: nil, name: text)
            return
        }
        self.init(design: DocumentID.designPrefix + design, name: name)
    }
}

/// The kind of geospatial indexes that are defined by a JavaScript function.
package let functionIndexKind = "geo_function"

/// A cache of parsed definitions. The key is the JSON text of the index's name and of its definition in the design
/// document.
private let writtenDefinitions = DefinitionCache { text -> GeoIndexDefinition in
    let member = try JSONValue(parsing: text)
    return try GeoIndexDefinition(named: member[0]?.stringValue ?? "", member[1] ?? .null)
}

extension Datastore {
    /// Returns an index and its definition. If `acceptsStale` is `false`, an index that lacks changes is updated first.
    ///
    /// - Throws: ``GeoIndexError`` when the index does not exist, its name is ambiguous, its definition is not valid or
    ///   is not supported, or it was removed during the call. ``StoreError`` when the database cannot be read, and when
    ///   the update fails. However, if the cause of the failed update is not an SQLite error but, for example, an error
    ///   of the index's function, this cause is thrown instead.
    package func geoIndex(
        _ name: GeoIndexName, acceptsStale: Bool = false
    ) async throws -> (index: IndexDescription, definition: GeoIndexDefinition) {
        let (index, definition) = try await knownGeoIndex(name)
        guard index.state == .behind, !acceptsStale else { return (index, definition) }
        do {
            guard try await catchUp(index) else { throw GeoIndexError.gone(index.name) }
        } catch let error as StoreError {
            // If the cause is not an SQLite error, for example an error of the index's function, the cause itself is
            // thrown.
            if let cause = error.cause, !(cause is SQLiteError) { throw cause }
            throw error
        }
        return (index, definition)
    }

    private func knownGeoIndex(
        _ name: GeoIndexName
    ) async throws -> (index: IndexDescription, definition: GeoIndexDefinition) {
        if let design = name.design, let name = name.name { return try await geoIndex(name, of: design) }
        let matching = try indexDescriptions().filter { index in
            index.kind == GeoIndex.kindName && name.name?.isIdenticalText(to: index.name) ?? true
        }
        guard matching.count == 1 else {
            if matching.isEmpty, let name = name.name { throw GeoIndexError.missing(name) }
            throw GeoIndexError.ambiguous(
                matching.map { "\(DocumentID.designName($0.design))/\($0.name)" })
        }
        return (matching[0], try GeoIndex.definition(of: matching[0]))
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
        guard let member = members[name] else { throw GeoIndexError.missing(name) }
        let definition = try writtenDefinitions.definition(JSONValue.array([.string(name), member]).jsonBytes())
        return (try await index(of: definition, name: name, design: design), definition)
    }

    /// Returns the index of a definition. If the design document was stored by a process that did not maintain indexes
    /// of this kind, creates the index.
    private func index(
        of definition: GeoIndexDefinition, name: String, design: String
    ) async throws -> IndexDescription {
        let isFunction = if case .function = definition.source { true } else { false }
        if isFunction, scope.owner != nil { throw GeoIndexError.notForOwners(name) }
        let kind = isFunction ? functionIndexKind : GeoIndex.kindName
        guard indexKinds.contains(where: { $0.kind.isIdenticalText(to: kind) }) else {
            throw GeoIndexError.unsupported(index: name, design: design)
        }
        let (text, owner) = (definition.text, isFunction ? IndexDescription.shared : scope.stored(design))
        func find() throws -> IndexDescription? {
            try indexDescriptions().first {
                $0.kind.isIdenticalText(to: kind) && $0.definition == text && $0.design.isIdenticalText(to: owner)
                    && (isFunction || $0.name.isIdenticalText(to: name))
            }
        }
        if let index = try find() { return index }
        try await makeIndexes(of: design)
        guard let index = try find() else { throw GeoIndexError.gone(name) }
        return index
    }
}
