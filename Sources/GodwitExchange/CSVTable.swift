//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Documents as rows of a table: id, coordinates, and a column for each property that any of them has.
struct CSVTable {
    private var columns: [String] = []
    private var known: Set<[UInt8]> = []

    private static let fixedColumns = ["_id", "latitude", "longitude"]

    /// Gives each property of a document a column.
    mutating func addColumns(of document: Document) throws(ExchangeError) {
        guard !document.isDesign, Feature.hasPointOrNone(document.body) else { return }
        for name in Feature.properties(of: document.body).keys where known.insert(Array(name.utf8)).inserted {
            columns.append(name)
        }
        guard columns.count <= ExchangeLimits.columnsMax else {
            throw ExchangeError(
                "the documents have more than \(ExchangeLimits.columnsMax) different properties. Take jsonl.")
        }
    }

    /// The first row. A property with the name of a fixed column is called after the place that it is from.
    var header: [UInt8] {
        let names = columns.map { CSVTable.fixedColumns.contains($0) ? "properties.\($0)" : $0 }
        return CSVTable.row((CSVTable.fixedColumns + names).map { CSVTable.field(text: $0) })
    }

    /// A document's row; `nil` when its geometry is no point.
    func row(of document: Document) -> [UInt8]? {
        guard Feature.hasPointOrNone(document.body) else { return nil }
        let position = document.body["geometry"]?["coordinates"]
        let properties = Feature.properties(of: document.body)
        let fixed = [
            CSVTable.field(text: document.id ?? ""), CSVTable.field(position?[1]), CSVTable.field(position?[0]),
        ]
        return CSVTable.row(fixed + columns.map { CSVTable.field(properties[$0]) })
    }

    private static func row(_ fields: [[UInt8]]) -> [UInt8] {
        Array(fields.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private static func field(_ value: JSONValue?) -> [UInt8] {
        switch value {
        case nil, .null: []
        case .string(let text): field(text: text)
        case .array, .object: quoted(value!.jsonText())
        default: value!.jsonBytes()
        }
    }

    /// A text, in quotes where RFC 4180 asks for them and where it would be read as something else.
    private static func field(text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let first = bytes.first else { return quoted(text) }
        let mayBeNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        let needsQuotes =
            bytes.contains(UInt8(ascii: "\"")) || bytes.contains(UInt8(ascii: ","))
            || bytes.contains(UInt8(ascii: "\n")) || bytes.contains(UInt8(ascii: "\r"))
            || mayBeNumber && (try? JSONScanner.validate(bytes)) != nil
        return needsQuotes ? quoted(text) : bytes
    }

    private static func quoted(_ text: String) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let pieces = Array(text.utf8).split(separator: quote, omittingEmptySubsequences: false)
        return [quote] + Array(pieces.joined(separator: [quote, quote])) + [quote]
    }
}

extension Feature {
    /// The feature of a document; `nil` when it has no geometry.
    ///
    /// A document that is a feature keeps its members. Of any other, all members but the geometry become properties.
    static func object(of document: Document) -> JSONObject? {
        guard let geometry = document.body["geometry"],
            geometryTypes.contains(geometry["type"]?.stringValue ?? ""),
            geometry["coordinates"]?.arrayValue != nil || geometry["geometries"]?.arrayValue != nil
        else { return nil }
        var feature: JSONObject = ["type": "Feature", "id": .string(document.id ?? ""), "geometry": geometry]
        guard document.body["type"] == "Feature" else {
            feature["properties"] = .object(properties(of: document.body))
            return feature
        }
        feature["properties"] = document.body["properties"] ?? .null
        for (name, value) in document.body where feature[name] == nil { feature[name] = value }
        return feature
    }

    /// What a document tells of its place: the properties and other members of a feature, all members of anything else.
    static func properties(of body: JSONObject) -> JSONObject {
        var properties: JSONObject = [:]
        let isFeature = body["type"] == "Feature"
        for (name, value) in body where name != "geometry" && !(isFeature && (name == "type" || name == "properties")) {
            properties[name] = value
        }
        if isFeature { for (name, value) in body["properties"]?.objectValue ?? [:] { properties[name] = value } }
        return properties
    }

    /// Whether a table has room for where a document is: at a point, or nowhere.
    static func hasPointOrNone(_ body: JSONObject) -> Bool {
        guard let geometry = body["geometry"], !geometry.isNull else { return true }
        return geometry["type"] == "Point" && geometry["coordinates"]?[1] != nil
    }
}
