//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitSelector

extension TextIndexDefinition {
    /// The version of the storage of a function's fields. Indexes of another version are rebuilt.
    private static let functionLayout: JSONValue = 2

    /// Parses the definition of an index that a JavaScript function fills. In a design document, the definition is the
    /// value of the index's name in the object `indexes`.
    ///
    /// - Parameter value: An object. Its member `index` is the text of the function; its member `analyzer` is optional.
    ///   Other members are ignored.
    /// - Throws: ``TextError`` for any other value, or for an invalid analyzer.
    package init(function value: JSONValue) throws(TextError) {
        guard let function = value["index"], function.stringValue != nil else {
            throw .notAnObject(value.jsonText())
        }
        let analyzer = value["analyzer"] ?? "standard"
        self.init(
            fields: nil, hasDefaultField: true, analyzer: .lines, fieldAnalyzers: try TextAnalyzers(parsing: analyzer),
            partialFilter: nil, json: ["index": function, "analyzer": analyzer, "layout": Self.functionLayout])
    }

    /// Parses a definition, which is the value of `index` in a design document and in a request to `_index`.
    ///
    /// - Parameter value: An object with any of `fields`, `default_field`, `default_analyzer`,
    ///   `partial_filter_selector`, `selector` and `index_array_lengths`. The empty object indexes all fields.
    ///   `selector` is the old name of `partial_filter_selector`: it applies only if `partial_filter_selector` is
    ///   absent or empty. `default_analyzer` is stored without effect.
    /// - Throws: ``TextError``, with CouchDB's text if CouchDB has one; `SelectorError` for an invalid filter.
    package init(parsing value: JSONValue) throws {
        guard let members = value.objectValue else { throw TextError.notAnObject(value.jsonText()) }
        for key in members.keys where !Self.keys.contains(key) { throw TextError.invalidKey(key) }
        let fields = try Self.fields(members["fields"] ?? [])
        let (hasDefaultField, analyzer) = try Self.defaultField(members["default_field"] ?? [:])
        let arrayLengths = members["index_array_lengths"] ?? true
        guard arrayLengths.boolValue != nil else { throw TextError.notABoolean(arrayLengths.jsonText()) }
        let filter = try Self.filter(members, "partial_filter_selector")
        let oldFilter = try Self.filter(members, "selector")
        self.init(
            fields: fields, hasDefaultField: hasDefaultField, analyzer: analyzer, fieldAnalyzers: nil,
            partialFilter: filter ?? oldFilter,
            json: [
                "default_analyzer": members["default_analyzer"] ?? "keyword",
                "default_field": members["default_field"] ?? [:],
                "partial_filter_selector": filter?.normalized ?? [:],
                "selector": oldFilter?.normalized ?? [:],
                "fields": Self.json(of: fields),
                "index_array_lengths": arrayLengths,
            ])
    }

    private static let keys: Set = [
        "default_analyzer", "default_field", "partial_filter_selector", "selector", "fields", "index_array_lengths",
    ]

    private static func json(of fields: [Field]?) -> JSONValue {
        guard let fields else { return "all_fields" }
        return .array(fields.map { ["name": .string($0.name), "type": .string($0.type.rawValue)] })
    }

    private static func filter(_ members: JSONObject, _ key: String) throws -> Selector? {
        guard let value = members[key], value.objectValue?.keys.isEmpty != true else { return nil }
        return try Selector(parsing: value)
    }

    private static func fields(_ value: JSONValue) throws(TextError) -> [Field]? {
        if value.stringValue == "all_fields" { return nil }
        guard let elements = value.arrayValue else { throw .invalidFields(value.jsonText()) }
        guard elements.count <= TextLimits.fieldsMax else { throw .tooManyFields(elements.count) }
        var fields: [Field] = []
        for element in elements {
            guard let field = field(element) else { throw .invalidFields(value.jsonText()) }
            if !fields.contains(field) { fields.append(field) }
        }
        return fields.isEmpty ? nil : fields
    }

    private static func field(_ value: JSONValue) -> Field? {
        guard let members = value.objectValue, members.keys.count == 2, let name = members["name"]?.stringValue,
            let type = members["type"]?.stringValue.flatMap(Field.Kind.init), FieldPath(name).isValid, !name.isEmpty
        else { return nil }
        return Field(name: name, type: type)
    }

    private static func defaultField(_ value: JSONValue) throws(TextError) -> (isEnabled: Bool, TextAnalyzer) {
        if let isEnabled = value.boolValue { return (isEnabled, .standard) }
        guard let members = value.objectValue else { throw .invalidValue(of: "default_field", value.jsonText()) }
        let enabled = members["enabled"] ?? true
        guard let isEnabled = enabled.boolValue else { throw .notABoolean(enabled.jsonText()) }
        let analyzer = try members["analyzer"].map { value throws(TextError) in try TextAnalyzer(parsing: value) }
        return (isEnabled, analyzer ?? .standard)
    }
}
