//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitSelector
import GodwitStore

extension QueryIndex {
    /// Returns the index in the notation of `_index`.
    package func json(isPartitioned: Bool) -> JSONValue {
        guard kind != .special else {
            return ["ddoc": .null, "name": .string(name), "type": "special", "def": .object(definition)]
        }
        return [
            "ddoc": .string(DocumentID.designPrefix + designDocument), "name": .string(name),
            "type": .string(kind.rawValue), "partitioned": .bool(isPartitioned), "def": .object(definition),
        ]
    }
}

extension QueryPlan {
    /// Returns the response of `_explain`: CouchDB's members, and a description in English sentences.
    package func explanation(database: String, isPartitioned: Bool, options: JSONObject) -> JSONObject {
        let query = prepared.query
        let indexes = accesses.map { $0.index.map { QueryIndex($0) } ?? .allDocuments }
        var members: JSONObject = [
            "dbname": .string(database), "index": indexes.first?.json(isPartitioned: isPartitioned) ?? .null,
            "partitioned": .bool(isPartitioned), "selector": prepared.asked.normalized, "opts": .object(options),
            "limit": .integer(Int64(query.limit)), "skip": .integer(Int64(query.skip)),
            "fields": .array((query.fields ?? []).map { .string($0) }),
            "index_candidates": candidates(isPartitioned: isPartitioned),
            "selector_hints": [hints],
            "indexes": .array(indexes.map { $0.json(isPartitioned: isPartitioned) }),
            "in_words": .string(inWords), "suggested_index": suggestion.map { .object($0) } ?? .null,
        ]
        if let access = accesses.first {
            members["mrargs"] = .object(viewArguments(of: access, options: options))
            members["covering"] = .bool(isCovered)
        }
        return members
    }

    private var hints: JSONValue {
        let fields = prepared.asked.fields.sorted().map(\.text)
        let isIndexable = { (field: String) in field == "_id" || self.prepared.selector.ranges(of: field) != nil }
        let indexable = fields.filter(isIndexable)
        let others = fields.filter { !isIndexable($0) }
        return [
            "type": "json", "indexable_fields": .array(indexable.map { .string($0) }),
            "unindexable_fields": .array(others.map { .string($0) }),
        ]
    }

    // MARK: Description

    /// A description of the plan in English sentences.
    package var inWords: String {
        guard !accesses.isEmpty else {
            let suggested = suggestion.map { "an index on \(Self.names($0))" } ?? "an index on the fields of the sort"
            return "The query is refused, because no index has its sort order. Create \(suggested)."
        }
        var text = accesses.count == 1 ? accesses[0].inWords : unionInWords
        if isCovered {
            text += " The index contains all requested fields, so no document is read."
        } else {
            text += isExact ? " All documents found there match." : " Each document is checked against the selector."
        }
        if sortsInMemory { text += " The results are sorted in memory, because no index has this order." }
        if let path = unindexedGeoPath { text += " A geospatial index on \(path) would help." }
        if let suggestion { text += " An index on \(Self.names(suggestion)) would help." }
        return text
    }

    private var unionInWords: String {
        let parts = accesses.map(\.inWords).joined(separator: " ")
        return "Reads each branch of the $or separately, and skips documents that an earlier branch found: \(parts)"
    }

    private static func names(_ suggestion: JSONObject) -> String {
        let fields = suggestion["fields"].flatMap { try? QueryField.list($0) } ?? []
        return fields.map(\.name).joined(separator: ", ")
    }

    /// The path whose geospatial index would serve the query better; `nil` when the query needs no such index.
    private var unindexedGeoPath: String? {
        accesses.contains(where: \.readsEverything) ? prepared.selector.places.first?.path : nil
    }

    /// The definition of an index that would serve the query better; `nil` when the query needs no other index, has a
    /// `$text`, or has no field that an index could restrict.
    package var suggestion: JSONObject? {
        guard accesses.isEmpty || accesses.contains(where: \.readsEverything) || sortsInMemory,
            !prepared.selector.usesText
        else { return nil }
        let selector = prepared.selector
        let sort = prepared.sort.filter { $0.name != "_id" }
        let restricted = selector.fields.sorted().map(\.text).filter { field in
            selector.ranges(of: field) != nil && !sort.contains { $0.name.isIdenticalText(to: field) }
                && !selector.places.contains { $0.path.isIdenticalText(to: field) }
        }
        let isPoint = { (field: String) in selector.ranges(of: field)?.ranges.arePoints == true }
        let points = restricted.filter(isPoint)
        let others = restricted.filter { !isPoint($0) }
        let fields =
            points.map { QueryField.ascending($0) } + sort
            + (sort.isEmpty ? others.prefix(1).map { .ascending($0) } : [])
        guard !fields.isEmpty else { return nil }
        return ["fields": .array(fields.map(\.json))]
    }
}

extension AccessPath {
    fileprivate var inWords: String {
        switch self {
        case .documents(let access):
            if access.readsEverything { return "Reads all documents, in the order of their ids." }
            let count = access.ranges.count
            return "Reads \(count) \(count == 1 ? "range" : "ranges") of ids."
        case .text(let access):
            let among = access.within.map { " among the documents of the index \($0.index.name)" } ?? ""
            guard !access.findsAll else {
                return "Reads all documents of the text index \(access.index.name)\(among)."
            }
            return "Searches the text index \(access.index.name)\(among), the best matches first."
        case .geo(let access):
            return "Reads the geospatial index \(access.index.name) on \(access.path), the nearest locations first."
        case .json(let access):
            let name =
                "the index \(access.index.name) on \(access.definition.fields.map(\.name).joined(separator: ", "))"
            guard access.restrictedFields > 0 else { return "Reads all entries of \(name)\(access.directionInWords)." }
            let fields = access.definition.fields.prefix(access.restrictedFields).map(\.name).joined(separator: ", ")
            let count = access.ranges.count
            return
                "Reads \(count) \(count == 1 ? "range" : "ranges") of \(name)\(access.directionInWords), "
                + "limited by \(fields)."
        }
    }
}

extension JSONAccess {
    fileprivate var directionInWords: String { isBackward ? ", in reverse order" : "" }
}
