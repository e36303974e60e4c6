//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText
import GodwitBase

/// The number of a row in an index's FTS5 table. The low bits contain the length of the document's text in words, so
/// that ranking need not read the length. The high bits contain the number of the document.
struct TextRow: Hashable, Comparable {
    let rawValue: Int64

    private static let lengthBits = Int64(GODWIT_TEXT_LENGTH_BITS)
    private static let lengthMax = 1 << lengthBits - 1

    init(rawValue: Int64) { self.rawValue = rawValue }

    /// - Parameter length: The number of words. A length beyond the maximum is stored as the maximum.
    init(number: Int64, length: Int) {
        invariant(length >= 0, "a length does not change the number of its row")
        rawValue = number << TextRow.lengthBits | Int64(min(length, TextRow.lengthMax))
    }

    /// Returns the greatest row that a document can have.
    static func last(of number: Int64) -> TextRow { TextRow(number: number, length: lengthMax) }

    /// The document's number.
    var number: Int64 { rawValue >> TextRow.lengthBits }

    static func < (left: TextRow, right: TextRow) -> Bool { left.rawValue < right.rawValue }
}
