//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON
import GodwitStore

/// A Swift value in its stored form, for comparisons with fields.
struct StoredValue {
    let json: JSONValue
    private let value: Any

    /// Encodes a value in the form in which a ``DocumentObject`` stores the values of its properties.
    ///
    /// - Throws: ``QueryPredicateError`` with code ``QueryPredicateError/Code/invalidValue`` when a document cannot
    ///   contain the value.
    init(_ value: some Encodable) throws(QueryPredicateError) {
        do {
            json = try StoredForm.encode(value)
        } catch {
            throw QueryPredicateError(.invalidValue, "a \(type(of: value)) cannot be stored in a document")
        }
        self.value = value
    }

    /// Returns a comparison of a field with the value.
    ///
    /// - Throws: ``QueryPredicateError`` with code ``QueryPredicateError/Code/invalidValue`` for any comparison with a
    ///   set, for an order comparison with `nil`, and for an order comparison of a type whose stored values have a
    ///   different order than its Swift values.
    func clause(_ steps: [String], _ comparison: Comparison) throws(QueryPredicateError) -> MangoClause {
        if json.arrayValue != nil, value is any SetAlgebra {
            throw QueryPredicateError(
                .invalidValue, "a set is stored in no defined order: compare its elements and its count")
        }
        guard comparison.isOrder else { return try .comparison(steps, comparison, json) }
        if value is Date, let text = json.stringValue {
            return try Self.order(of: steps, comparison, relativeToDate: text)
        }
        if json.stringValue != nil, !(value is String || value is UUID) { throw unordered }
        if json.boolValue != nil || json.arrayValue != nil || json.objectValue != nil { throw unordered }
        return try .comparison(steps, comparison, json)
    }

    private var unordered: QueryPredicateError {
        QueryPredicateError(
            .invalidValue, "a \(type(of: value)) is stored in a form with another order: only == and != compare it")
    }

    /// Returns a comparison of points in time by their strings.
    ///
    /// The strings have only as many fractional digits as necessary. Therefore, their order is not chronological:
    /// `00.5Z` sorts before `00Z`, and `00.55Z` before `00.5Z`. Without its `Z`, the string of the given time sorts
    /// before the strings of the same time and of all later times. But it also sorts before the strings of those
    /// earlier times that have fewer fractional digits and otherwise the same digits, such as `00Z` and `00.5Z` for
    /// `00.55Z`. The condition lists the strings of these earlier times one by one.
    private static func order(
        of steps: [String], _ comparison: Comparison, relativeToDate text: String
    ) throws(QueryPredicateError) -> MangoClause {
        let textWithoutZ = String(text.dropLast())
        var earlierTexts: [JSONValue] = []
        if let point = textWithoutZ.utf8.firstIndex(of: UInt8(ascii: ".")) {
            earlierTexts.append(.string(textWithoutZ[..<point] + "Z"))
            let digits = textWithoutZ[textWithoutZ.utf8.index(after: point)...]
            for end in digits.indices.dropFirst() { earlierTexts.append(.string(textWithoutZ[..<end] + "Z")) }
        }
        let equalTexts = comparison == .lessOrEqual || comparison == .greater ? [JSONValue.string(text)] : []
        let listedTexts = earlierTexts + equalTexts
        var earlierClause = MangoClause.field(steps, ["$lt": .string(textWithoutZ)])
        if !listedTexts.isEmpty { earlierClause = try .or(earlierClause, .isIn(steps, listedTexts)) }
        return comparison == .less || comparison == .lessOrEqual ? earlierClause : try earlierClause.negated()
    }
}
