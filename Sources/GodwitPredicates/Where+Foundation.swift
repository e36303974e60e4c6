//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Where {
    /// Creates the condition of Foundation's `#Predicate`. Expressions without an equivalent in Mango cause an error of
    /// ``selector``.
    ///
    /// ```swift
    /// let recent = Where(#Predicate<Car> { $0.year > 2005 && $0.make.starts(with: "T") })
    /// ```
    ///
    /// Supported are: comparisons of fields with values, `&&`, `||`, `!`, optional chaining, forced unwrapping, `nil`,
    /// `contains` of given arrays and ranges, of arrays and of strings, `contains` and `allSatisfy` with a closure,
    /// `starts(with:)`, and `?? false` after a condition. Other expressions, such as arithmetic, other defaults or
    /// localized comparisons, cause an error of ``selector`` that names the expression. The condition has the semantics
    /// of Mango, see ``Where``: unlike in Foundation, no comparison except `== nil` is true for a missing field, not
    /// even `!=`.
    ///
    /// - Parameter predicate: A predicate with one input.
    public init(_ predicate: Predicate<Value>) {
        self.init { () throws(QueryPredicateError) in
            let scope = FoundationScope(predicate.variable.key, as: Field(steps: [], type: Value.self))
            return try scope.clause(predicate.expression)
        }
    }
}
