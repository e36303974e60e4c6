//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON
package import GodwitSelector

/// The definition of a text index: CouchDB's Mango index of the type `text`, or a function that emits fields.
///
/// ```swift
/// let definition = try TextIndexDefinition(parsing: ["fields": [["name": "title", "type": "string"]]])
/// definition.json  // {"default_analyzer":"keyword","default_field":{},…}
/// ```
///
/// Unlike in CouchDB, the analyzer of the default field creates the words of all fields. Therefore, `title:word` finds
/// all titles that contain the word. In CouchDB, it finds only a title that consists of this word. `default_analyzer`
/// is stored without effect.
package struct TextIndexDefinition: Sendable {
    /// A named field of an index.
    package struct Field: Sendable, Hashable {
        /// The type of the indexed values.
        package enum Kind: String, Sendable {
            case string, number, boolean
        }

        /// The dotted path in its original notation. Steps into arrays, written `[]`, are optional.
        package let name: String
        /// The type of the indexed values. A field of several types is listed several times, once for each type.
        package let type: Kind

        package static func == (left: Field, right: Field) -> Bool {
            left.name.isIdenticalText(to: right.name) && left.type == right.type
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ExactText(name))
            hasher.combine(type)
        }
    }

    /// The fields; `nil` for all.
    package let fields: [Field]?
    /// Whether words without a field are searched in all fields of the index. If `false`, a query with such words is an
    /// error.
    package let hasDefaultField: Bool
    /// The analyzer of texts. For an index of a function, this is the analyzer of the FTS5 table.
    package let analyzer: TextAnalyzer
    /// The analyzers of the fields that a function emits; `nil` for Mango's indexes.
    let fieldAnalyzers: TextAnalyzers?
    /// The selector that documents must match to be in the index; `nil` for all documents.
    package let partialFilter: Selector?
    /// The definition that the design document contains under `index`. For an index of a function, this value contains
    /// the function, its analyzer, and the version of the storage.
    package let json: JSONValue

    /// Whether a function of a design document determines the indexed fields.
    package var isOfFunctions: Bool { fieldAnalyzers != nil }

    /// Whether the index contains all of the given fields of documents. It does not contain `_id` and the like.
    package func indexes(_ paths: Set<ExactText>) -> Bool {
        guard let fields else {
            return !paths.isEmpty && !paths.contains { $0.text.utf8.first == UInt8(ascii: "_") }
        }
        return !paths.isEmpty && paths.isSubset(of: fields.map { ExactText(TextPath.normalized($0.name)) })
    }

    /// The field that is searched for words without a field in an index of a function.
    static let defaultField = "default"

    /// Whether FTS5 receives the words of each text, one per line, instead of the text. The words of a language are
    /// inserted in this form. Therefore, the stored words do not depend on Snowball, and can be deleted exactly as they
    /// were inserted, even if another version of Snowball is installed.
    var givesLines: Bool { isOfFunctions || analyzer.isOfLanguage }

    /// The analyzer of the FTS5 table.
    var tableAnalyzer: TextAnalyzer { givesLines ? .lines : analyzer }
}

// MARK: Stored form

extension TextIndexDefinition {
    /// The definition for the database file. The definition includes the versions of the tokenizers, so that an index
    /// is rebuilt if another version of a tokenizer created its words.
    package var bytes: [UInt8] {
        guard let tokenizerVersions, var members = json.objectValue else { return json.jsonBytes() }
        members[Self.versionsMember] = .string(tokenizerVersions)
        return JSONValue.object(members).jsonBytes()
    }

    /// The versions of the tokenizers for languages; `nil` if only FTS5's tokenizers are used.
    private var tokenizerVersions: String? {
        let versions = fieldAnalyzers?.all.compactMap(\.version) ?? analyzer.version.map { [$0] } ?? []
        return versions.isEmpty ? nil : Set(versions).sorted().joined(separator: " ")
    }

    private static let versionsMember = "words"

    /// Parses the definition from the database file.
    ///
    /// - Throws: ``TextError`` when another version of a tokenizer created the index's words, or an analyzer is not
    ///   available; another error when the bytes are damaged.
    package init(stored bytes: [UInt8]) throws {
        let value = try JSONValue(parsing: bytes)
        var members = value.objectValue ?? [:]
        let storedVersions = members[Self.versionsMember]?.stringValue
        members[Self.versionsMember] = nil
        if members["index"]?.stringValue == nil {
            try self.init(parsing: .object(members))
        } else {
            try self.init(function: .object(members))
        }
        guard ExactText.areEqual(tokenizerVersions, storedVersions) else { throw TextError.outdated }
    }
}

extension TextIndexDefinition: Equatable {
    package static func == (left: Self, right: Self) -> Bool { left.json == right.json }
}

extension TextIndexDefinition {
    /// The definition for a design document: the value of the index's name under `indexes`.
    package var designJSON: JSONValue { ["index": json, "analyzer": analyzerJSON] }

    private var analyzerJSON: JSONValue {
        guard hasDefaultField else { return "keyword" }
        return [
            "name": "perfield", "default": json["default_analyzer"] ?? "keyword",
            "fields": ["$default": analyzer.json],
        ]
    }

    /// The definition in the notation of CouchDB's list, under `def`: each field as `{name: type}`.
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
