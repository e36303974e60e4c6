//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Decides whether numbers of a table have a decimal comma, such as `48,137`.
///
/// `1,234` alone is not clear: it may be a number of four digits, or two numbers. So the first rows of the table decide.
/// A comma is a decimal mark if a coordinate has one, or if a number has one that cannot separate thousands, such as
/// `3,5`. It is none if a number of these rows has a decimal point, and in a column where a text of these rows has a
/// comma but is not such a number, such as `1,2,3`.
struct DecimalCommas {
    private var hasCommas = false
    private var hasPoints = false
    private var otherColumns: Set<Int> = []

    /// Adds a field of the first rows.
    mutating func add(_ field: CSVRow.Field, column: Int, isCoordinate: Bool) {
        guard isCoordinate || !field.isQuoted else { return }
        let text = isCoordinate ? Text.trimmed(field.text) : field.text
        if let number = DecimalCommas.withPoint(text) {
            hasCommas = hasCommas || isCoordinate || !DecimalCommas.maySeparateThousands(number)
        } else if text.utf8.contains(CSVDialect.comma) {
            otherColumns.insert(column)
        } else if text.utf8.contains(UInt8(ascii: ".")), let value = try? JSONValue(parsing: text) {
            hasPoints = hasPoints || value.doubleValue != nil
        }
    }

    /// Returns the number that a field means because of its decimal comma; `nil` if the field is another text.
    func number(_ text: String, column: Int) -> JSONValue? {
        guard hasCommas, !hasPoints, !otherColumns.contains(column), let number = DecimalCommas.withPoint(text) else {
            return nil
        }
        return try? JSONValue(parsing: number)
    }

    /// Returns a number with a decimal point instead of its comma; `nil` if the text is not a number with one comma
    /// between digits.
    static func withPoint(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let comma = bytes.firstIndex(of: CSVDialect.comma), comma > 0, comma + 1 < bytes.count,
            bytes[comma - 1].isDigit, bytes[comma + 1].isDigit
        else { return nil }
        let digits = bytes[..<comma].drop { $0 == UInt8(ascii: "-") }
        guard comma - digits.count <= 1, digits.allSatisfy(\.isDigit) else { return nil }
        let number = bytes[..<comma] + [UInt8(ascii: ".")] + bytes[(comma + 1)...]
        guard Text.number(String(decoding: number, as: UTF8.self)) != nil,
            number.allSatisfy({ $0.isDigit || numberBytes.contains($0) })
        else { return nil }
        return String(decoding: number, as: UTF8.self)
    }

    private static let numberBytes = Array("+-.eE".utf8)

    /// The number of digits between two separators of thousands.
    private static let groupDigits = 3

    /// Whether the point of a number is at a place where a comma may also separate thousands, as in `12,345`.
    private static func maySeparateThousands(_ number: String) -> Bool {
        let parts = number.drop { $0 == "-" }.pieces(at: ".")
        return parts.count == 2 && parts[1].utf8.count == groupDigits && parts[1].utf8.allSatisfy(\.isDigit)
            && parts[0].utf8.count <= groupDigits && parts[0].utf8.first != UInt8(ascii: "0")
    }
}

extension UInt8 {
    /// Whether this is an ASCII digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
