//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitSelector
package import GodwitStore
package import GodwitText

/// The description of an index to create, as in the body of a request for `_index`.
package struct IndexRequest: Sendable {
    /// The id of its design document.
    package let design: String
    /// The name of the index: either the given name, or a name that is derived from the definition.
    package let name: String
    /// The type of the index.
    package let kind: QueryIndex.Kind
    /// The entry in the design document.
    let entry: JSONValue
    /// The definition in the database file. Equal texts define equal indexes.
    let text: [UInt8]

    /// Describes an index of the type `json`.
    ///
    /// - Parameters:
    ///   - definition: The fields and the filter.
    ///   - asWritten: The definition in the client's notation. As in CouchDB, the design document contains the
    ///     definition in this notation.
    ///   - name: The name of the index; `nil` for a name derived from the definition.
    ///   - designDocument: The name of the design document; `nil` for a name derived from the definition.
    package init(_ definition: JSONIndexDefinition, asWritten: JSONValue, name: String?, designDocument: String?) {
        kind = .json
        text = definition.text
        var map: JSONObject = [
            "fields": .object(JSONObject(definition.fields.map { ($0.name, $0.isDescending ? "desc" : "asc") }))
        ]
        map["partial_filter_selector"] = definition.partialFilter?.normalized ?? [:]
        entry = .object(["map": .object(map), "reduce": "_count", "options": ["def": asWritten]])
        (self.name, design) = Self.names(of: JSONValue.object(map).jsonBytes(), name, in: designDocument)
    }

    /// Describes an index of the type `text`.
    package init(_ definition: TextIndexDefinition, name: String?, designDocument: String?) {
        kind = .text
        text = definition.bytes
        entry = definition.designJSON
        (self.name, design) = Self.names(of: text, name, in: designDocument)
    }

    /// Describes an index of the type `geo`.
    ///
    /// - Parameter path: The path of the geometries; `nil` for the default path.
    /// - Throws: ``QueryError`` when the path is invalid, or when no type of geospatial index is registered.
    package init(geometriesAt path: String?, name: String?, designDocument: String?) throws(QueryError) {
        guard let indexKind = GeoIndexes.kind else {
            throw QueryError("invalid_index", "Invalid type for index: geo (geospatial queries are not enabled)")
        }
        guard let definition = indexKind.definition(path: path) else {
            throw QueryError(
                "invalid_index", "A geospatial index needs the path of a field: {\"geometry\": \"geometry\"}")
        }
        kind = .geo
        (text, entry) = definition
        (self.name, design) = Self.names(of: text, name, in: designDocument)
    }

    /// Parses the body of a request.
    ///
    /// - Throws: ``QueryError``, ``SelectorError`` or the error of a text index's definition, with CouchDB's texts.
    package init(_ body: JSONValue) throws {
        guard let members = body.objectValue else {
            throw QueryError("bad_request", "Request body must be a JSON object")
        }
        let knownMembers = ["index", "type", "name", "ddoc", "w", "partitioned"]
        // Exact: the known names are ASCII.
        if let unknownMember = members.keys.first(where: { !knownMembers.contains($0) }) {
            throw QueryError("invalid_key", "Invalid key \(unknownMember) for this request.")
        }
        guard let definition = members["index"] else {
            throw QueryError("missing_required_key", "Missing required key: index")
        }
        let stringMember = { (name: String) throws(QueryError) -> String? in
            guard let value = members[name] else { return nil }
            guard let text = value.stringValue else {
                throw QueryError("invalid_string", "Invalid string: \(value.jsonText())")
            }
            guard !text.isEmpty else { throw QueryError("invalid_empty_string", "Index \(name) must not be empty") }
            return text
        }
        let type = try stringMember("type") ?? "json"
        let (name, design) = (try stringMember("name"), try stringMember("ddoc"))
        switch type {
        case "json":
            self.init(try JSONIndexDefinition(definition), asWritten: definition, name: name, designDocument: design)
        case "text": self.init(try TextIndexDefinition(parsing: definition), name: name, designDocument: design)
        case "geo": try self.init(geometriesAt: Self.path(definition), name: name, designDocument: design)
        default: throw QueryError("invalid_index", "Invalid type for index: \(type)")
        }
    }

    /// Returns the path of a definition such as `{"geometry": "place"}`; `nil` for an empty definition, and an empty
    /// string for an invalid definition.
    private static func path(_ definition: JSONValue) -> String? {
        if definition == [:] { return nil }
        guard let members = definition.objectValue, members.count == 1 else { return "" }
        return members["geometry"]?.stringValue ?? ""
    }

    /// Returns the name of an index and the id of its design document. As in CouchDB, the derived name of a design
    /// document depends on the name of the index too, so two indexes of the same fields can be deleted one by one.
    private static func names(
        of text: [UInt8], _ name: String?, in designDocument: String?
    ) -> (name: String, design: String) {
        let design = designDocument ?? makeName(of: name.map { text + [0] + Array($0.utf8) } ?? text)
        return (name ?? makeName(of: text), DocumentID.designPrefix + DocumentID.designName(design))
    }

    /// Returns a name derived from a definition: two FNV-1a hashes of 64 bits with different start values, as 32
    /// hexadecimal digits. Equal definitions have equal names.
    private static func makeName(of text: [UInt8]) -> String {
        let halves = [0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15].map { (start: UInt64) in
            text.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
        var digits: [UInt8] = []
        for half in halves { digits.appendHexadecimal(half) }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension IndexRequest {
    /// Adds the index to the members of its design document.
    ///
    /// - Parameter stored: The members of the stored design document; `nil` if there is none.
    /// - Returns: The members with the index.
    /// - Throws: ``StoreError`` when the design document has a language other than `query`.
    package func added(to stored: JSONObject?) throws(StoreError) -> JSONObject {
        var members = stored ?? ["language": "query"]
        guard members["language"] == "query" else {
            throw StoreError(
                .invalidRequest,
                "\(design) is a design document in another language. Choose another design document for the index.")
        }
        let member = IndexRequest.member(of: kind)
        var entries = members[member]?.objectValue ?? [:]
        entries[name] = entry
        members[member] = .object(entries)
        return members
    }

    /// The member of a design document that contains geospatial indexes.
    package static let geoMember = "st_indexes"

    /// Returns the member of a design document that contains the indexes of a type.
    static func member(of kind: QueryIndex.Kind) -> String {
        switch kind {
        case .json, .special: "views"
        case .text: "indexes"
        case .geo: geoMember
        }
    }

    /// Returns the definition of the index with this type and name in a design document, in the notation of the
    /// database file; `nil` when the design document has no such index.
    func existing(in design: [UInt8], kinds: [any IndexKind]) -> [UInt8]? {
        kinds.first { $0.kind.isIdenticalText(to: kind.rawValue) }?.definitions(in: design)
            .first { $0.name.isIdenticalText(to: name) }?.text
    }
}
