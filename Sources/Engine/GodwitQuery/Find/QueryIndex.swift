//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// A description of an index that queries can use.
public struct QueryIndex: Sendable, Hashable {
    /// The type of an index.
    public enum Kind: String, Sendable {
        /// An ordered index of the values of some fields.
        case json
        /// A text index of the words of some fields or of all fields.
        case text
        /// A geospatial index of the geometries at one path.
        case geo
        /// The index of all documents by their ids, which always exists.
        case special
    }

    /// The name of its design document without `_design/`; empty for the index of all documents.
    public let designDocument: String
    /// The name of the index.
    public let name: String
    /// The type of the index.
    public let kind: Kind
    /// The fields, in the order of the index. For a geospatial index, this is the path of the geometries. The list is
    /// empty for a text index of all fields.
    public let fields: [QueryField]
    /// The definition in the notation of CouchDB's `_index`.
    public let definition: JSONObject
    /// Whether the index is built and can be used. An incomplete index is being built.
    public let isComplete: Bool

    /// Creates the description of an index from the values of its properties.
    package init(
        designDocument: String, name: String, kind: Kind, fields: [QueryField], definition: JSONObject,
        isComplete: Bool = true
    ) {
        self.designDocument = designDocument
        self.name = name
        self.kind = kind
        self.fields = fields
        self.definition = definition
        self.isComplete = isComplete
    }

    /// The index of all documents by their ids.
    package static let allDocuments = QueryIndex(
        designDocument: "", name: "_all_docs", kind: .special, fields: ["_id"], definition: ["fields": [["_id": "asc"]]]
    )

    /// Creates the description of a datastore's index.
    init(_ index: IndexDescription) {
        var definition = JSONIndexDefinition.listed(index.definition)
        var fields = definition["fields"].flatMap { try? QueryField.list($0) } ?? []
        if index.kind == Kind.geo.rawValue, let listing = try? GeoIndexes.kind?.listing(of: index) {
            definition = listing.definition
            fields = [.ascending(listing.path)]
        }
        if index.kind == TextIndex.kindName, let text = try? TextIndex.definition(of: index) {
            definition = text.listingJSON.objectValue ?? [:]
            fields = (text.fields ?? []).map { .ascending($0.name) }
        }
        self.init(
            designDocument: DocumentID.designName(index.design), name: index.name,
            kind: Kind(rawValue: index.kind) ?? .json,
            fields: fields, definition: definition, isComplete: index.state == .complete)
    }
}
