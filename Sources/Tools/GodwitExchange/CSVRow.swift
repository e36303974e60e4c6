//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses the rows of a table in CSV (RFC 4180).
enum CSVRow {
    /// A field of a row.
    struct Field: Equatable {
        var text: String
        /// Whether the field is quoted. A quoted field is always a text, even if it has the form of a number.
        var isQuoted: Bool
    }

    private static let quote = UInt8(ascii: "\"")

    /// Finds the end of a row whose bytes arrive in pieces.
    struct Extent {
        let delimiter: UInt8
        private var scannedCount = 0
        private var isInQuotes = false
        private var isAtStart = true

        init(delimiter: UInt8) { self.delimiter = delimiter }

        /// Looks for the end of the row. At each call, `bytes` must contain all bytes of the previous call, followed by
        /// more bytes.
        ///
        /// - Returns: The length of the row with its line break; `nil` when the bytes do not contain the end of the
        ///   row.
        mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
            while scannedCount < bytes.count {
                let byte = bytes[scannedCount]
                scannedCount += 1
                // Two quotes in a row within a field mean one quote of the text. Here, they need no special case: the
                // first closes the field, and the second opens it again.
                if byte == CSVRow.quote, isInQuotes || isAtStart {
                    isInQuotes.toggle()
                    isAtStart = !isInQuotes
                    continue
                }
                if !isInQuotes, byte == UInt8(ascii: "\n") { return scannedCount }
                isAtStart = !isInQuotes && byte == delimiter
            }
            return nil
        }
    }

    /// Returns a row without its line break.
    static func withoutLineBreak(_ row: [UInt8]) -> [UInt8] {
        var row = row
        if row.last == UInt8(ascii: "\n") { row.removeLast() }
        if row.last == UInt8(ascii: "\r") { row.removeLast() }
        return row
    }

    /// Whether a row contains only delimiters and white space.
    static func isEmpty(_ row: [UInt8], delimiter: UInt8) -> Bool {
        row.allSatisfy { $0 == delimiter || $0.isBlank }
    }

    /// Splits a row into its fields.
    static func fields(of row: [UInt8], delimiter: UInt8) throws(RecordError) -> [Field] {
        var fields: [Field] = []
        var offset = 0
        while true {
            if offset < row.count, row[offset] == quote {
                fields.append(Field(text: try quoted(row, &offset), isQuoted: true))
                guard offset == row.count || row[offset] == delimiter else {
                    throw RecordError("text follows a closing quote; write a quote within quotes twice")
                }
            } else {
                let end = row[offset...].firstIndex(of: delimiter) ?? row.count
                fields.append(Field(text: try text(row[offset..<end]), isQuoted: false))
                offset = end
            }
            guard offset < row.count else { return fields }
            offset += 1
        }
    }

    private static func quoted(_ row: [UInt8], _ offset: inout Int) throws(RecordError) -> String {
        var bytes: [UInt8] = []
        offset += 1
        while let end = row[offset...].firstIndex(of: quote) {
            bytes += row[offset..<end]
            offset = end + 1
            guard offset < row.count, row[offset] == quote else { return try text(bytes[...]) }
            bytes.append(quote)
            offset += 1
        }
        throw RecordError("a quote is not closed")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(RecordError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RecordError("this is not UTF-8. Save the table as UTF-8.")
        }
        return text
    }
}
