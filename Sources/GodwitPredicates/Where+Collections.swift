//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Where {
    /// Whether an array or set has an element.
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements>, _ element: Elements.Element
    ) -> Where where Elements.Element: Encodable & Equatable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, equal(element)) }
    }

    /// Whether an array or set is there and has an element.
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements?>, _ element: Elements.Element
    ) -> Where where Elements.Element: Encodable & Equatable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, equal(element)) }
    }

    /// Whether any element of an array or set meets a condition.
    ///
    /// ```swift
    /// let strong: Where<Car> = .contains(\.engines, where: \.power > 300)
    /// ```
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements>, where condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, condition.result.get()) }
    }

    /// Whether an array or set is there and any of its elements meets a condition.
    public static func contains<Elements: Sequence>(
        _ field: KeyPath<Value, Elements?>, where condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .anyElement(of: Field(field).steps, condition.result.get()) }
    }

    /// Whether an array or set is there and all of its elements meet a condition, as they do when it has none.
    public static func allSatisfy<Elements: Sequence>(
        _ field: KeyPath<Value, Elements?>, _ condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .allElements(of: Field(field).steps, condition.result.get()) }
    }

    /// Whether an array is there and all of its elements meet a condition, as they do when it has none.
    public static func allSatisfy<Elements: Sequence>(
        _ field: KeyPath<Value, Elements>, _ condition: Where<Elements.Element>
    ) -> Where where Elements.Element: Decodable {
        Where { () throws(QueryPredicateError) in try .allElements(of: Field(field).steps, condition.result.get()) }
    }

    /// Whether an array or set has so many elements.
    public static func count<Elements: Sequence>(_ field: KeyPath<Value, Elements>, _ count: Int) -> Where
    where Elements.Element: Encodable {
        Where { () throws(QueryPredicateError) in
            guard count >= 0 else { throw QueryPredicateError(.invalidValue, "a count is not negative") }
            return .field(try Field(field).steps, ["$size": .integer(Int64(count))])
        }
    }

    private static func equal(_ element: some Encodable) throws(QueryPredicateError) -> MangoClause {
        try StoredValue(element).clause([], .equal)
    }
}
