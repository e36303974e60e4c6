//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// An index that queries may use.
public struct QueryIndex: Sendable, Hashable {
    /// What kind of index it is.
    public enum Kind: String, Sendable {
        /// Of the values of some fields, in their order.
        case json
        /// Of the words of some fields or of all.
        case text
        /// Of where documents are, by a path at which their geometries stand.
        case geo
        /// The documents by their ids, which is always there.
        case special
    }

    /// Its design document, without `_design/`; empty for the index of all documents.
    public let designDocument: String
    /// Its name.
    public let name: String
    /// What kind of index it is.
    public let kind: Kind
    /// Its fields, in their order; of a text index over all fields none.
    public let fields: [QueryField]
    /// Its definition as CouchDB's `_index` shows it.
    public let definition: JSONObject
    /// Whether it has all documents and is used; one that is not is being built.
    public let isComplete: Bool

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

    /// The documents by their ids.
    package static let allDocuments = QueryIndex(
        designDocument: "", name: "_all_docs", kind: .special, fields: ["_id"], definition: ["fields": [["_id": "asc"]]]
    )

    /// An index of a datastore.
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
