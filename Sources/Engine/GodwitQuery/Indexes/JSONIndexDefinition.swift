//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
package import GodwitSelector
import GodwitStore

/// The definition of a Mango index of the type `json`: its fields and its filter.
package struct JSONIndexDefinition: Sendable {
    /// The fields in the order in which they sort.
    package let fields: [QueryField]
    /// The selector that documents must match to be in the index; `nil` for all documents.
    package let partialFilter: Selector?
    let paths: [FieldPath]

    /// Creates a definition from fields in the order in which they sort, and a filter. A filter that all documents
    /// match is removed.
    package init(fields: [QueryField], partialFilter: Selector? = nil) {
        self.fields = fields
        self.partialFilter = partialFilter.flatMap { $0.normalized == [:] ? nil : $0 }
        paths = fields.map { FieldPath($0.name) }
    }

    /// Parses a definition from the database file, a design document or a request.
    ///
    /// - Parameter isOfDesign: Whether the definition is of a design document. Old versions of CouchDB wrote
    ///   `selector` there instead of `partial_filter_selector`.
    /// - Throws: ``QueryError`` or ``SelectorError`` with CouchDB's texts.
    package init(_ value: JSONValue, isOfDesign: Bool = false) throws {
        guard let members = value.objectValue else {
            throw QueryError("invalid_index", "JSON indexes must be an object, not: \(value.jsonText())")
        }
        for name in members.keys
        where name != "fields" && name != "partial_filter_selector" && !(isOfDesign && name == "selector") {
            throw QueryError("invalid_key", "Invalid key \(name) for this request.")
        }
        guard let list = members["fields"] else {
            throw QueryError("missing_required_key", "Missing required key: fields")
        }
        let fields = try Self.fields(list)
        guard (1...QueryLimits.indexFieldsMax).contains(fields.count) else {
            throw QueryError("invalid_index", "An index must have 1 to \(QueryLimits.indexFieldsMax) fields.")
        }
        if let invalidField = fields.first(where: { !FieldPath($0.name).isValid }) {
            throw QueryError(
                "invalid_sort_field", "Invalid sort field: \(JSONValue.string(invalidField.name).jsonText())")
        }
        guard Set(fields.map { ExactText($0.name) }).count == fields.count else {
            throw QueryError("invalid_index", "An index may have each field only once.")
        }
        let filter = try (members["partial_filter_selector"] ?? members["selector"]).map { try Selector(parsing: $0) }
        guard filter?.usesText != true else {
            throw QueryError("invalid_index", "A partial_filter_selector cannot contain $text.")
        }
        self.init(fields: fields, partialFilter: filter)
    }

    /// Parses the fields: an object in a design document, a list in a request.
    private static func fields(_ list: JSONValue) throws -> [QueryField] {
        guard let members = list.objectValue else { return try QueryField.list(list) }
        return try members.flatMap { name, direction in
            try QueryField.list([.object(JSONObject([(name, direction)]))])
        }
    }

    /// The definition for the database file. The text contains the version of the collation. Therefore, if another
    /// version created the keys, the index is rebuilt when its database is opened.
    package var text: [UInt8] {
        var members: JSONObject = ["fields": .array(fields.map(\.json))]
        if let partialFilter { members["partial_filter_selector"] = partialFilter.normalized }
        members[Self.collationMember] = .string(CollationKey.version)
        return JSONValue.object(members).jsonBytes()
    }

    private static let collationMember = "collation"

    /// Returns the definition that a ``text`` contains, in the notation of `_index`.
    static func listed(_ text: [UInt8]) -> JSONObject {
        var members = (try? JSONValue(parsing: text))?.objectValue ?? [:]
        members[collationMember] = nil
        return members
    }
}

extension QueryField {
    /// Parses a list of fields in Mango's notation: names, or objects of a name and a direction.
    ///
    /// - Throws: ``QueryError`` in the same cases as CouchDB's `mango_sort.erl`.
    package static func list(_ value: JSONValue) throws(QueryError) -> [QueryField] {
        guard case .array(let items) = value else {
            throw QueryError("invalid_sort_json", "Sort must be an array of sort specs, not: \(value.jsonText())")
        }
        var fields: [QueryField] = []
        for item in items { fields.append(try QueryField(item)) }
        return fields
    }

    private init(_ value: JSONValue) throws(QueryError) {
        let invalid = QueryError("invalid_sort_field", "Invalid sort field: \(value.jsonText())")
        if let name = value.stringValue {
            guard !name.isEmpty else { throw invalid }
            self.init(name: name, isDescending: false)
            return
        }
        guard let members = value.objectValue, members.count == 1, let (name, direction) = members.first else {
            throw invalid
        }
        switch direction.stringValue {
        case "asc": self.init(name: name, isDescending: false)
        case "desc": self.init(name: name, isDescending: true)
        default: throw QueryError("invalid_sort_field", "Invalid sort direction: \(direction.jsonText())")
        }
    }
}
