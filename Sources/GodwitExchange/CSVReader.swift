//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Options for reading a table: its delimiter and the names of its columns.
package struct CSVOptions: Sendable {
    /// The delimiter of fields: one ASCII character.
    package var delimiter = UInt8(ascii: ",")
    /// The name of the column with the latitude; `nil` for the first column with a usual name, such as `lat`.
    package var latitude: String?
    /// The name of the column with the longitude; `nil` for the first column with a usual name, such as `lon`.
    package var longitude: String?
    /// The name of the column with the id; `nil` for the column `_id` or `id`, if the table has such a column.
    package var id: String?
    /// Whether the table is plain: its rows have no coordinates, and each column becomes a member of the document.
    package var isPlain = false

    /// Creates the default options: fields separated by commas, and columns with their usual names.
    package init() {}
}

/// Reads a table (RFC 4180) whose first row names the columns. In a plain table, each further row becomes a document
/// whose members are the columns. In any other table, each further row becomes a feature with a point, or a feature
/// without a geometry if the row has no coordinates. Empty rows are skipped.
package struct CSVReader: RecordReader {
    private var window: FileWindow
    private let options: CSVOptions
    private var columns: CSVColumns?
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
            let document = try columns.document(try CSVRow.fields(of: text, delimiter: options.delimiter), text.count)
            return FileRecord(number: number, line: line, content: .success(document))
        } catch {
            return FileRecord(number: number, line: line, content: .failure(error))
        }
    }

    private mutating func readHeader() throws(ExchangeError) -> CSVColumns {
        guard let row = try takeRow() else {
            throw ExchangeError("the file is empty: its first row must name the columns")
        }
        let (line, text) = row
        do throws(RecordError) {
            let header = try CSVRow.fields(of: text, delimiter: options.delimiter)
            return try CSVColumns(header.map { $0.text }, options)
        } catch {
            throw ExchangeError(line: line, error.reason)
        }
    }

    /// Reads the next row that is not empty, and returns it without its line break; `nil` at the end of the file.
    private mutating func takeRow() throws(ExchangeError) -> (line: Int, text: [UInt8])? {
        while try window.has(1) {
            let line = window.line
            let end = try lengthOfRow()
            var text = window.take(end)
            if text.last == UInt8(ascii: "\n") { text.removeLast() }
            if text.last == UInt8(ascii: "\r") { text.removeLast() }
            if !text.isEmpty { return (line, text) }
        }
        return nil
    }

    /// Returns the length of the next row with its line break. A line break within quotes does not end the row.
    private mutating func lengthOfRow() throws(ExchangeError) -> Int {
        var row = CSVRow.Extent(delimiter: options.delimiter)
        while true {
            if let end = window.withBytes({ row.end(in: $0) }) { return end }
            guard try window.more() else { return window.count }
        }
    }
}
