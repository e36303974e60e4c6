//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The columns of a table. This type finds the columns of the coordinates and of the id, and creates documents from
/// rows.
struct CSVColumns {
    private static let latitudes = ["latitude", "lat", "y"]
    private static let longitudes = ["longitude", "lon", "lng", "long", "x"]
    private static let ids = ["_id", "id"]

    private let names: [String]
    /// The columns of the coordinates; `nil` for a plain table.
    private let coordinates: (latitude: Int, longitude: Int)?
    private let id: Int?
    /// Whether the options name the column with the id. In this case, the id is also kept as a property of the
    /// document.
    private let keepsID: Bool
    /// The decimal commas of the table; `nil` if commas separate its fields.
    var decimalCommas: DecimalCommas?

    init(_ header: [String], _ options: CSVOptions) throws(RecordError) {
        let names = header.map(Text.trimmed)
        guard names.count <= ExchangeLimits.columnsMax else {
            throw RecordError("the file has \(names.count) columns, more than \(ExchangeLimits.columnsMax)")
        }
        var seen: Set<ExactText> = []
        for name in names where !name.isEmpty && !seen.insert(ExactText(name)).inserted {
            throw RecordError("two columns have the name `\(name)`. Rename one.")
        }
        self.names = names
        if options.isPlain {
            coordinates = nil
        } else {
            guard let latitude = try CSVColumns.columnIndex(options.latitude, CSVColumns.latitudes, in: names),
                let longitude = try CSVColumns.columnIndex(options.longitude, CSVColumns.longitudes, in: names)
            else { throw CSVColumns.noCoordinates(names, options) }
            coordinates = (latitude, longitude)
        }
        id = try CSVColumns.columnIndex(options.id, CSVColumns.ids, in: names)
        keepsID = options.id != nil
    }

    private static func columnIndex(
        _ requestedName: String?, _ usualNames: [String], in names: [String]
    ) throws(RecordError) -> Int? {
        guard let requestedName else {
            let lowercased = names.map { $0.lowercased() }
            return usualNames.lazy.compactMap { lowercased.firstIndex(where: $0.isIdenticalText) }.first
        }
        guard let index = names.firstIndex(where: requestedName.isIdenticalText) else {
            throw RecordError("no column is named `\(requestedName)`")
        }
        return index
    }

    private static func noCoordinates(_ names: [String], _ options: CSVOptions) -> RecordError {
        let mayHaveOtherDelimiter = names.count == 1
        return RecordError(
            "no columns for latitude and longitude were found. Name them with --latitude and --longitude"
                + (mayHaveOtherDelimiter ? ", and the character between the fields with --delimiter." : ".")
                + " If the rows have no places, use --plain.")
    }

    /// Whether a column contains a coordinate.
    func isCoordinate(_ index: Int) -> Bool { index == coordinates?.latitude || index == coordinates?.longitude }

    /// Returns the document of a row. In a plain table, the columns are the members of the document. In any other
    /// table, the document is a feature. If the row has no coordinates, this feature has no geometry.
    func document(_ fields: [CSVRow.Field], _ byteCount: Int) throws(RecordError) -> FileDocument {
        guard fields.count == names.count else {
            throw RecordError(
                "the row has \(fields.count) field\(fields.count == 1 ? "" : "s"), but the file has \(names.count) column"
                    + (names.count == 1 ? "" : "s")
                    + (fields.count == 1 || names.count == 1
                        ? ". If another character separates the fields, name it with --delimiter." : ""))
        }
        var properties: JSONObject = [:]
        for (index, name) in names.enumerated()
        where !isCoordinate(index) && (index != id || keepsID) && !name.isEmpty {
            guard let value = value(of: fields[index], column: index) else { continue }
            properties[name] = value
        }
        let id = try self.id.map { (index) throws(RecordError) in
            guard !fields[index].text.isEmpty else { throw RecordError("the id is empty") }
            return fields[index].text
        }
        return FileDocument(id: id, body: try body(fields, properties), byteCount: byteCount)
    }

    private func body(_ fields: [CSVRow.Field], _ properties: JSONObject) throws(RecordError) -> JSONObject {
        guard let coordinates else { return properties }
        let texts = (
            Text.trimmed(fields[coordinates.latitude].text), Text.trimmed(fields[coordinates.longitude].text)
        )
        guard !texts.0.isEmpty || !texts.1.isEmpty else {
            return ["type": "Feature", "geometry": .null, "properties": .object(properties)]
        }
        guard let latitude = degrees(texts.0), let longitude = degrees(texts.1) else {
            throw RecordError(
                "`\(texts.0.prefix(40))`, `\(texts.1.prefix(40))` are not degrees, such as 37.77, -122.42")
        }
        try Feature.check(latitude: latitude, longitude: longitude)
        return Feature.point(latitude: latitude, longitude: longitude, properties: properties)
    }

    /// Returns the degrees of a field; `nil` if the text is not a number. A coordinate may have a decimal comma in each
    /// table whose fields are not separated by commas, because degrees have no thousands.
    private func degrees(_ text: String) -> Double? {
        Text.number(text) ?? (decimalCommas == nil ? nil : DecimalCommas.withPoint(text).flatMap(Text.number))
    }

    /// Returns the value of a field. Without quotes, an empty field has no value (`nil`), and the value of a field with
    /// the text of a JSON number, or with a decimal comma, is a number. The value of any other field is a string.
    private func value(of field: CSVRow.Field, column: Int) -> JSONValue? {
        guard !field.isQuoted else { return .string(field.text) }
        guard let first = field.text.utf8.first else { return nil }
        guard first == UInt8(ascii: "-") || first.isDigit else { return .string(field.text) }
        if let number = decimalCommas?.number(field.text, column: column) { return number }
        guard let number = try? JSONValue(parsing: field.text), !field.text.utf8.contains(where: \.isBlank) else {
            return .string(field.text)
        }
        return number
    }
}

/// Helpers for texts of files.
enum Text {
    static func trimmed(_ text: String) -> String {
        let trimmedStart = text.drop { $0.isWhitespace }
        return String(
            trimmedStart[
                ..<(trimmedStart.lastIndex { !$0.isWhitespace }.map { trimmedStart.index(after: $0) }
                    ?? trimmedStart.startIndex)])
    }

    /// Returns the number that a text of an XML file or of a table contains; `nil` if the text is not a finite number.
    static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}
