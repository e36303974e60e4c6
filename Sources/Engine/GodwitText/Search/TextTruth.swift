//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText

/// The truth table of an expression over its phrases.
struct TextTruth {
    private let phrases: Int
    /// Each set of phrases is represented by a number. The bit at this number is the value of the expression if exactly
    /// the phrases of this set occur.
    let table: UInt16

    /// The truth table of a single phrase.
    static let phrase = TextTruth(phrases: 1, table: 0b10)

    private init(phrases: Int, table: UInt16) { (self.phrases, self.table) = (phrases, table) }

    /// Combines the truth tables of two consecutive expressions.
    ///
    /// - Returns: `nil` when the expressions have too many phrases, or when one of them is `nil`.
    init?(_ first: TextTruth?, _ second: TextTruth?, _ join: (Bool, Bool) -> Bool) {
        guard let first, let second, first.phrases + second.phrases <= Int(GODWIT_TEXT_GATHERED_MAX) else { return nil }
        phrases = first.phrases + second.phrases
        table = (0..<(1 << phrases)).reduce(0) { table, set in
            let isTrue = join(first.isTrue(of: set & (1 << first.phrases - 1)), second.isTrue(of: set >> first.phrases))
            return isTrue ? table | 1 << set : table
        }
    }

    private func isTrue(of set: Int) -> Bool { table >> set & 1 == 1 }
}
