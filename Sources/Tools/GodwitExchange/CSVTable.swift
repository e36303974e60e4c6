//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Writes documents as rows of a table. The columns are the id, the coordinates, and all properties that occur in any
/// of the documents.
struct CSVTable {
    private var columns: [String] = []
    private var columnNames: Set<[UInt8]> = []

    private static let fixedColumns = ["_id", "latitude", "longitude"]

    /// Adds columns for the properties of a document. Ignores a design document and a document that a table cannot
    /// contain.
    ///
    /// - Throws: ``ExchangeError`` when the table has more than ``ExchangeLimits/columnsMax`` columns of properties.
    mutating func addColumns(of document: Document) throws(ExchangeError) {
        guard !document.isDesign, DocumentLocation(of: document.body).isPointOrNone else { return }
        for name in Feature.properties(of: document.body).keys where columnNames.insert(Array(name.utf8)).inserted {
            columns.append(name)
        }
        guard columns.count <= ExchangeLimits.columnsMax else {
            throw ExchangeError(
                "the documents have more than \(ExchangeLimits.columnsMax) different properties. Use jsonl.")
        }
    }

    /// The first row. A property with the name of a fixed column gets the prefix `properties.`.
    var header: [UInt8] {
        let names = columns.map { CSVTable.fixedColumns.contains($0) ? "properties.\($0)" : $0 }
        return CSVTable.row((CSVTable.fixedColumns + names).map { CSVTable.field(text: $0) })
    }

    /// Returns the row of a document that has a point or no geometry.
    func row(of document: Document) -> [UInt8] {
        let coordinates = document.body["geometry"]?["coordinates"]
        let properties = Feature.properties(of: document.body)
        let fixed = [
            CSVTable.field(text: document.id ?? ""), CSVTable.field(coordinates?[1]), CSVTable.field(coordinates?[0]),
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
        case .array, .object: quoted((value ?? .null).jsonText())
        default: (value ?? .null).jsonBytes()
        }
    }

    /// Returns a text as a field. The field is quoted in three cases: RFC 4180 requires quotes, the text is empty, or a
    /// reader would treat the text without quotes as a number.
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
