//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitFoundation

extension Where {
    /// Creates the condition of Foundation's `#Predicate`. If an expression has no equivalent in Mango, ``selector``
    /// throws an error.
    ///
    /// ```swift
    /// let recent = Where(#Predicate<Car> { $0.year > 2005 && $0.make.starts(with: "T") })
    /// ```
    ///
    /// A predicate can contain these expressions:
    ///
    /// - comparisons of fields with values, including `nil`
    /// - `&&`, `||` and `!`
    /// - optional chaining and forced unwrapping
    /// - `contains` of a given array, of a given range, or of a field that is an array or a string
    /// - `contains` and `allSatisfy` with a closure, for a field that is an array
    /// - `starts(with:)`
    /// - `?? false` after a condition
    ///
    /// If the predicate contains any other expression, such as arithmetic, another default value or a localized
    /// comparison, ``selector`` throws an error that names the expression. The condition has the semantics of Mango,
    /// see ``Where``: for a missing field, only the comparison `== nil` is true. In contrast to Foundation, even `!=`
    /// is false.
    ///
    /// - Parameter predicate: A predicate with one input.
    public init(_ predicate: Predicate<Value>) {
        self.init { () throws(QueryPredicateError) in
            let scope = FoundationScope(predicate.variable.key, as: Field(steps: [], type: Value.self))
            return try scope.clause(predicate.expression)
        }
    }
}
