//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Where {
    /// Returns the condition that an array or set contains an element.
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements>, _ element: Elements.Element
    ) -> Where where Elements.Element: Encodable & Equatable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, equal(element)) }
    }

    /// Returns the condition that an optional array or set exists and contains an element.
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements?>, _ element: Elements.Element
    ) -> Where where Elements.Element: Encodable & Equatable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, equal(element)) }
    }

    /// Returns the condition that an array or set has an element that matches a condition.
    ///
    /// ```swift
    /// let strong: Where<Car> = .contains(\.engines, where: \.power > 300)
    /// ```
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements>, where condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, condition.result.get()) }
    }

    /// Returns the condition that an optional array or set exists and has an element that matches a condition.
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements?>, where condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, condition.result.get()) }
    }

    /// Returns the condition that an optional array or set exists and all its elements match a condition. An empty
    /// array or set matches.
    public static func allSatisfy<Elements: Sequence>(
        _ field: KeyPath<Value, Elements?>, _ condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .allElements(of: Field(field).steps, condition.result.get()) }
    }

    /// Returns the condition that an array or set exists and all its elements match a condition. An empty array or set
    /// matches.
    public static func allSatisfy<Elements: Sequence>(
        _ field: KeyPath<Value, Elements>, _ condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .allElements(of: Field(field).steps, condition.result.get()) }
    }

    /// Returns the condition that an array or set has exactly `count` elements. If the number is negative, ``selector``
    /// throws an error.
    public static func count<Elements: Sequence>(_ field: KeyPath<Value, Elements>, _ count: Int) -> Where
    where Elements.Element: Encodable {
        Where { () throws(QueryPredicateError) in
            guard count >= 0 else { throw QueryPredicateError(.invalidValue, "a count must not be negative") }
            return .field(try Field(field).steps, ["$size": .integer(Int64(count))])
        }
    }

    private static func equal(_ element: some Encodable) throws(QueryPredicateError) -> MangoClause {
        try StoredValue(element).clause([], .equal)
    }
}
