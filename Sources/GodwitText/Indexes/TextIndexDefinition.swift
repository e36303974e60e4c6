//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitSelector

/// What a text index is made of: CouchDB's Mango index of the type `text`, or a function that gives fields.
///
/// ```swift
/// let definition = try TextIndexDefinition(parsing: ["fields": [["name": "title", "type": "string"]]])
/// definition.json  // {"default_analyzer":"keyword","default_field":{},…}
/// ```
///
/// Other than CouchDB's, the words of all fields go through the one analyzer of the default field: `title:word` finds a
/// word in a title, where CouchDB wants the whole title. `default_analyzer` is kept and means nothing.
package struct TextIndexDefinition: Sendable {
    /// A field that an index names.
    package struct Field: Sendable, Hashable {
        /// The type of values that are indexed.
        package enum Kind: String, Sendable {
            case string, number, boolean
        }

        /// The dotted path, as it is written. Steps into arrays, written `[]`, may be left out.
        package let name: String
        package let type: Kind
    }

    /// The fields; `nil` for all.
    package let fields: [Field]?
    /// Whether words without a field are searched in all fields of the index, or not at all.
    package let hasDefaultField: Bool
    /// How texts become words; of an index that a function makes, how the table takes them apart that they are in.
    package let analyzer: TextAnalyzer
    /// How the fields that a function gives become words; `nil` of Mango's indexes.
    let fieldAnalyzers: TextAnalyzers?
    /// Which documents are indexed; `nil` for all.
    package let partialFilter: Selector?
    /// The definition as the design document has it, under `index`.
    package let json: JSONValue

    /// Whether a function of a design document says what is indexed.
    package var isOfFunctions: Bool { fieldAnalyzers != nil }

    /// The field that words without a field are searched in, of an index that a function makes.
    static let defaultField = "default"

    /// Whether texts come to the table of words as the lines of their words. Those of languages do: so what is on the disk
    /// is SQLite's alone, and goes out of the table as it went in, whichever Snowball is installed then.
    var givesLines: Bool { isOfFunctions || analyzer.isOfLanguage }

    /// How the table of words takes apart what it is given.
    var tableAnalyzer: TextAnalyzer { givesLines ? .lines : analyzer }
}

// MARK: As the file's list of indexes has it

extension TextIndexDefinition {
    /// With other words of the same texts it is another index, so that one that has the old ones is made anew.
    package var bytes: [UInt8] {
        guard let words, var members = json.objectValue else { return json.jsonBytes() }
        members[Self.words] = .string(words)
        return JSONValue.object(members).jsonBytes()
    }

    /// The versions of all that makes words here; `nil` where that is FTS5 alone.
    private var words: String? {
        let versions = fieldAnalyzers?.all.compactMap(\.version) ?? analyzer.version.map { [$0] } ?? []
        return versions.isEmpty ? nil : Set(versions).sorted().joined(separator: " ")
    }

    private static let words = "words"

    /// Reads the definition that the file's list of indexes has.
    ///
    /// - Throws: ``TextError`` when the index has other words than are made now.
    package init(stored bytes: [UInt8]) throws {
        let value = try JSONValue(parsing: bytes)
        var members = value.objectValue ?? [:]
        let words = members[Self.words]?.stringValue
        members[Self.words] = nil
        if members["index"]?.stringValue == nil {
            try self.init(parsing: .object(members))
        } else {
            try self.init(function: .object(members))
        }
        guard self.words == words else { throw TextError.outdated }
    }
}

extension TextIndexDefinition: Equatable {
    package static func == (left: Self, right: Self) -> Bool { left.json == right.json }
}

extension TextIndexDefinition {
    /// The definition as a design document has it: the value of the index's name under `indexes`.
    package var designJSON: JSONValue { ["index": json, "analyzer": analyzerJSON] }

    private var analyzerJSON: JSONValue {
        guard hasDefaultField else { return "keyword" }
        return [
            "name": "perfield", "default": json["default_analyzer"] ?? "keyword",
            "fields": ["$default": analyzer.json],
        ]
    }

    /// The definition as CouchDB lists it, under `def`: each field as `{name: type}`.
    package var listingJSON: JSONValue {
        var listing = json
        if listing["partial_filter_selector"]?.objectValue?.keys.isEmpty == true {
            listing["partial_filter_selector"] = nil
        }
        listing["fields"] = .array(
            (fields ?? []).map { .object(JSONObject([($0.name, .string($0.type.rawValue))])) })
        return listing
    }
}
