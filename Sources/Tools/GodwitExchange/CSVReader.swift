//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Options for reading a table: its delimiter and the names of its columns.
package struct CSVOptions: Sendable {
    /// The delimiter of fields: one ASCII character. If it is `nil`, the file decides: its first line may be `sep=;`, as
    /// Excel writes it, with any delimiter. Otherwise, the delimiter is the comma, semicolon, tab or `|` that separates
    /// the names of the columns.
    package var delimiter: UInt8?
    /// The name of the column with the latitude; `nil` for the first column with a usual name, such as `lat`.
    package var latitude: String?
    /// The name of the column with the longitude; `nil` for the first column with a usual name, such as `lon`.
    package var longitude: String?
    /// The name of the column with the id; `nil` for the column `_id` or `id`, if the table has such a column.
    package var id: String?
    /// Whether the table is plain: its rows have no coordinates, and each column becomes a member of the document.
    package var isPlain = false

    /// Creates the default options: the delimiter of the file, and columns with their usual names.
    package init() {}
}

/// Reads a table (RFC 4180) whose first row names the columns. In a plain table, each further row becomes a document
/// whose members are the columns. In any other table, each further row becomes a feature with a point, or a feature
/// without a geometry if the row has no coordinates. Rows that contain only delimiters and white space are skipped.
package struct CSVReader: RecordReader {
    private var window: FileWindow
    private let options: CSVOptions
    private var columns: CSVColumns?
    private var delimiter = CSVDialect.comma
    private var number = 0

    /// Creates a reader of the file in a window. The header is read with the first record.
    package init(_ window: FileWindow, options: CSVOptions = CSVOptions()) {
        self.window = window
        self.options = options
    }

    package var usedCount: Int { window.usedCount }

    package mutating func next() throws(ExchangeError) -> FileRecord? {
        if columns == nil { columns = try readHeader() }
        guard let columns, let row = try takeRow() else { return nil }
        let (line, text) = row
        number += 1
        do throws(RecordError) {
            let document = try columns.document(try CSVRow.fields(of: text, delimiter: delimiter), text.count)
            return FileRecord(number: number, line: line, content: .success(document))
        } catch {
            return FileRecord(number: number, line: line, content: .failure(error))
        }
    }

    /// Reads the names of the columns, and finds out how the table is written.
    private mutating func readHeader() throws(ExchangeError) -> CSVColumns {
        let lineDelimiter = try CSVDialect.takeDelimiterLine(&window)
        let givenDelimiter = options.delimiter ?? lineDelimiter
        try CSVDialect.skipEmptyLines(&window, delimiter: givenDelimiter)
        delimiter = if let givenDelimiter { givenDelimiter } else { try CSVDialect.delimiter(&window, options) }
        guard let row = try takeRow() else {
            throw ExchangeError("the file is empty: its first row must name the columns")
        }
        let (line, text) = row
        var columns: CSVColumns
        do throws(RecordError) {
            let header = try CSVRow.fields(of: text, delimiter: delimiter)
            columns = try CSVColumns(header.map { $0.text }, options)
        } catch {
            throw ExchangeError(line: line, error.reason)
        }
        if delimiter != CSVDialect.comma {
            columns.decimalCommas = try CSVDialect.decimalCommas(&window, delimiter: delimiter, columns)
        }
        return columns
    }

    /// Reads the next row that is not empty, and returns it without its line break; `nil` at the end of the file.
    private mutating func takeRow() throws(ExchangeError) -> (line: Int, text: [UInt8])? {
        while try window.has(1) {
            let line = window.line
            let text = CSVRow.withoutLineBreak(window.take(try lengthOfRow()))
            if !CSVRow.isEmpty(text, delimiter: delimiter) { return (line, text) }
        }
        return nil
    }

    /// Returns the length of the next row with its line break. A line break within quotes does not end the row.
    private mutating func lengthOfRow() throws(ExchangeError) -> Int {
        var row = CSVRow.Extent(delimiter: delimiter)
        while true {
            if let end = window.withBytes({ row.end(in: $0) }) { return end }
            guard try window.more() else { return window.count }
        }
    }
}
