//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// A range of values, such as `[1 TO 5]` or `{a TO *}`.
package struct TextRange: Sendable, Equatable {
    enum Bound: Sendable, Equatable {
        case number(Double)
        case text(String)
    }

    /// The lower bound; `nil` if the range has no lower bound.
    let lower: Bound?
    /// The upper bound; `nil` if the range has no upper bound.
    let upper: Bound?
    let includesLower: Bool
    let includesUpper: Bool

    /// Parses a range without a field, as in the parameter `ranges`.
    ///
    /// - Throws: ``TextError`` when the text is not a range.
    package init(parsing text: String) throws(TextError) {
        var parser = try TextQueryParser(text)
        self = try parser.wholeRange()
    }

    init(lower: Bound?, upper: Bound?, includesLower: Bool, includesUpper: Bool) {
        self.lower = lower
        self.upper = upper
        self.includesLower = includesLower
        self.includesUpper = includesUpper
    }

    /// Whether a value of a document is in the range. A range without bounds contains every value. If one of the bounds
    /// is a string, the range contains only strings, which are compared by bytes. If the other bound is a number, this
    /// number is compared as a string: 1 as `1.0`. Any other range contains only numbers.
    package func contains(_ value: Int, in tape: JSONTape) -> Bool {
        if lower == nil, upper == nil { return true }
        if let number = tape.double(value) { return contains(number) }
        return tape.kind(value) == .string && contains(tape.string(value))
    }

    private func contains(_ number: Double) -> Bool {
        guard !isOfTexts else { return false }
        if case .number(let bound) = lower, includesLower ? number < bound : number <= bound { return false }
        if case .number(let bound) = upper, includesUpper ? number > bound : number >= bound { return false }
        return true
    }

    private func contains(_ text: String) -> Bool {
        guard isOfTexts else { return false }
        if let bound = lower.map(Self.text) {
            if bound.isAfter(text) || !includesLower && !text.isAfter(bound) { return false }
        }
        if let bound = upper.map(Self.text) {
            if text.isAfter(bound) || !includesUpper && !bound.isAfter(text) { return false }
        }
        return true
    }

    private var isOfTexts: Bool { [lower, upper].contains { if case .text = $0 { true } else { false } } }

    private static func text(_ bound: Bound) -> String {
        switch bound {
        case .text(let text): text
        case .number(let number): number.description
        }
    }
}

extension String {
    /// Whether this string sorts after another string if their bytes are compared.
    func isAfter(_ other: String) -> Bool { other.utf8.lexicographicallyPrecedes(utf8) }
}
