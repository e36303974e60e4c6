//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the delimiter of a table that does not say it, and skips what may precede the header.
///
/// The delimiter is the first of the candidates with which the header has the columns that the options need. If there
/// is none, it is the first candidate that occurs in the header. So a comma is preferred: a header that has a comma and
/// another candidate is not clear, and the comma is the delimiter of RFC 4180.
enum CSVDialect {
    static let comma = UInt8(ascii: ",")
    private static let candidates = [comma, UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// If the file begins with the line `sep=;`, with any delimiter, consumes this line. Excel reads and writes it.
    ///
    /// - Returns: The delimiter of the line; `nil` when the file begins with another line.
    static func takeDelimiterLine(_ window: inout FileWindow) throws(ExchangeError) -> UInt8? {
        _ = try window.has(lineBytesMax)
        let start = Array(window.first(min(window.count, lineBytesMax)))
        var rest = start[...]
        let isQuoted = rest.first == quote
        if isQuoted { rest = rest.dropFirst() }
        guard rest.count > name.count, zip(rest, name).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return nil }
        let delimiter = rest[rest.startIndex + name.count]
        rest = rest.dropFirst(name.count + 1)
        if isQuoted {
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst()
        }
        if rest.first == UInt8(ascii: "\r") { rest = rest.dropFirst() }
        guard rest.isEmpty || rest.first == UInt8(ascii: "\n"), isDelimiter(delimiter) else { return nil }
        window.use(start.count - rest.count + (rest.isEmpty ? 0 : 1))
        return delimiter
    }

    private static let name = Array("sep=".utf8)
    private static let quote = UInt8(ascii: "\"")
    /// The length of the longest such line: the name, the delimiter, two quotes and the line break.
    private static let lineBytesMax = 9

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte < 0x80 && byte != quote && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r")
    }

    /// Consumes the lines that contain only white space and delimiters.
    ///
    /// - Parameter delimiter: The delimiter; `nil` if it is not known.
    static func skipEmptyLines(_ window: inout FileWindow, delimiter: UInt8?) throws(ExchangeError) {
        var offset = 0
        while try window.has(offset + 1) {
            let byte = window[offset]
            guard byte.isBlank || (delimiter.map { $0 == byte } ?? candidates.contains(byte)) else { return }
            offset += 1
            guard byte == UInt8(ascii: "\n") else { continue }
            window.use(offset)
            offset = 0
        }
        window.use(offset)
    }

    /// Returns the delimiter of the header at the current position. The header is not consumed.
    static func delimiter(_ window: inout FileWindow, _ options: CSVOptions) throws(ExchangeError) -> UInt8 {
        var splitting: UInt8?
        for candidate in candidates {
            guard let header = try header(&window, delimiter: candidate), header.count > 1 else { continue }
            if (try? CSVColumns(header, options)) != nil { return candidate }
            splitting = splitting ?? candidate
        }
        return splitting ?? comma
    }

    /// Returns the names of the columns if the fields had a given delimiter; `nil` if the row cannot be split by it, or
    /// is longer than ``ExchangeLimits/headerBytesMax``.
    private static func header(
        _ window: inout FileWindow, delimiter: UInt8
    ) throws(ExchangeError) -> [String]? {
        var row = CSVRow.Extent(delimiter: delimiter)
        var end = window.withBytes { row.end(in: $0) }
        while end == nil {
            guard window.count <= ExchangeLimits.headerBytesMax else { return nil }
            end = try window.more() ? window.withBytes { row.end(in: $0) } : window.count
        }
        guard let end, end <= ExchangeLimits.headerBytesMax else { return nil }
        let text = CSVRow.withoutLineBreak(Array(window.first(end)))
        return (try? CSVRow.fields(of: text, delimiter: delimiter))?.map(\.text)
    }

    /// Looks for decimal commas in the rows at the current position, up to ``ExchangeLimits/sampleBytes``. The rows are
    /// not consumed.
    static func decimalCommas(
        _ window: inout FileWindow, delimiter: UInt8, _ columns: CSVColumns
    ) throws(ExchangeError) -> DecimalCommas {
        let isLong = try window.has(ExchangeLimits.sampleBytes)
        var sample = Array(window.first(isLong ? ExchangeLimits.sampleBytes : window.count))[...]
        var commas = DecimalCommas()
        while !sample.isEmpty {
            var row = CSVRow.Extent(delimiter: delimiter)
            guard let end = sample.withUnsafeBytes({ row.end(in: $0) }) ?? (isLong ? nil : sample.count) else { break }
            let text = CSVRow.withoutLineBreak(Array(sample.prefix(end)))
            for (index, field) in ((try? CSVRow.fields(of: text, delimiter: delimiter)) ?? []).enumerated() {
                commas.add(field, column: index, isCoordinate: columns.isCoordinate(index))
            }
            sample = sample.dropFirst(end)
        }
        return commas
    }
}
