//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A row of a table as RFC 4180 has it.
enum CSVRow {
    /// A field of a row.
    struct Field: Equatable {
        var text: String
        /// Whether it stood in quotes: what is quoted is a text, whatever it looks like.
        var isQuoted: Bool
    }

    private static let quote = UInt8(ascii: "\"")

    /// Finds the end of a row whose bytes come in pieces.
    struct Extent {
        let delimiter: UInt8
        private var scanned = 0
        private var isInQuotes = false
        private var isAtStart = true

        init(delimiter: UInt8) { self.delimiter = delimiter }

        /// - Returns: How long the row is, with its end of line; `nil` while that is not there.
        mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
            while scanned < bytes.count {
                let byte = bytes[scanned]
                scanned += 1
                // A doubled quote ends the quotes and begins them again.
                if byte == CSVRow.quote, isInQuotes || isAtStart {
                    isInQuotes.toggle()
                    isAtStart = !isInQuotes
                    continue
                }
                if !isInQuotes, byte == UInt8(ascii: "\n") { return scanned }
                isAtStart = !isInQuotes && byte == delimiter
            }
            return nil
        }
    }

    /// Takes a row apart.
    static func fields(of row: [UInt8], delimiter: UInt8) throws(RecordError) -> [Field] {
        var fields: [Field] = []
        var place = 0
        while true {
            if place < row.count, row[place] == quote {
                fields.append(Field(text: try quoted(row, &place), isQuoted: true))
                guard place == row.count || row[place] == delimiter else {
                    throw RecordError("text follows a closing quote; a quote within quotes is written twice")
                }
            } else {
                let end = row[place...].firstIndex(of: delimiter) ?? row.count
                fields.append(Field(text: try text(row[place..<end]), isQuoted: false))
                place = end
            }
            guard place < row.count else { return fields }
            place += 1
        }
    }

    private static func quoted(_ row: [UInt8], _ place: inout Int) throws(RecordError) -> String {
        var bytes: [UInt8] = []
        place += 1
        while let end = row[place...].firstIndex(of: quote) {
            bytes += row[place..<end]
            place = end + 1
            guard place < row.count, row[place] == quote else { return try text(bytes[...]) }
            bytes.append(quote)
            place += 1
        }
        throw RecordError("a quote is not closed")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(RecordError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RecordError("this is no UTF-8. Save the table as UTF-8.")
        }
        return text
    }
}
