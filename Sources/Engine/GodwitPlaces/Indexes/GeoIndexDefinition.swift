//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON
import GodwitQuery

/// The definition of a geospatial index: how a document's geometries are found, and their coordinate system.
package struct GeoIndexDefinition: Sendable, Hashable {
    /// The method that finds the geometries of a document.
    package enum Source: Sendable, Hashable {
        /// The geometries are at a path, and the document must match some conditions.
        case rule(GeoRule)
        /// A JavaScript function finds the geometries and calls `st_index` for each of them.
        case function(String)
    }

    /// The method that finds the geometries of a document.
    package let source: Source
    /// The coordinate system of the documents.
    package let system: CoordinateSystem

    /// Creates a definition from the method that finds the geometries, and from their coordinate system.
    package init(_ source: Source, system: CoordinateSystem = .wgs84) {
        self.source = source
        self.system = system
    }

    /// The definition for the database file. Equal definitions have equal texts.
    package var text: [UInt8] {
        var members: JSONObject
        switch source {
        case .rule(let rule): members = rule.json
        case .function(let function): members = ["function": .string(function)]
        }
        members["srid"] = .integer(Int64(system.code))
        return JSONValue.object(members).jsonBytes()
    }

    /// Parses a ``text``.
    package init(text: [UInt8]) throws {
        let members = try JSONValue(parsing: text)
        system = CoordinateSystem(code: members["srid"]?.intValue ?? CoordinateSystem.wgs84.code)
        if let function = members["function"]?.stringValue {
            source = .function(function)
        } else {
            source = .rule(GeoRule(members))
        }
    }

    // MARK: Design documents

    /// The default path.
    package static let usualPath = "geometry"
    /// The name of the function that index functions call to index a geometry.
    package static let functionName = "st_index"

    /// Returns the valid definitions in a design document, keyed by the names of their indexes.
    package static func all(in design: [UInt8]) -> [ExactText: GeoIndexDefinition] {
        guard let indexes = (try? JSONValue(parsing: design))?[IndexRequest.geoMember]?.objectValue else { return [:] }
        return indexes.reduce(into: [:]) { $0[ExactText($1.key)] = try? GeoIndexDefinition(named: $1.key, $1.value) }
    }

    /// Parses one member of a design document's `st_indexes`.
    ///
    /// - Throws: ``GeoIndexError`` with Cloudant's text.
    package init(named name: String, _ value: JSONValue) throws(GeoIndexError) {
        guard let members = value.objectValue else { throw .invalid(name) }
        if let type = members["type"], type != "rtree" { throw .unsupportedType(name, type.jsonText()) }
        for member in ["dimensions", "dimension"] {
            if let dimensions = members[member], !(2...4).contains(dimensions.intValue ?? 0) { throw .invalid(name) }
        }
        if let system = members["srid"] {
            self.system = try Self.system(system, name)
        } else {
            system = .wgs84
        }
        switch members["index"] {
        case .string(let function): source = GeoRule(function: function).map(Source.rule) ?? .function(function)
        case .object(let declared)?: source = .rule(try Self.declared(declared, name))
        default: throw .invalid(name)
        }
    }

    private static func system(_ value: JSONValue, _ name: String) throws(GeoIndexError) -> CoordinateSystem {
        do {
            return try CoordinateSystem(parsing: value.stringValue ?? value.jsonText())
        } catch {
            throw .invalidSystem(name)
        }
    }

    /// Parses `{"geometry": "path"}`.
    private static func declared(_ members: JSONObject, _ name: String) throws(GeoIndexError) -> GeoRule {
        guard members.count == 1, case .string(let path)? = members["geometry"], let rule = GeoRule(path: path) else {
            throw .invalid(name)
        }
        return rule
    }
}
