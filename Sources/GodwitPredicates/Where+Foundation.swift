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
    /// The condition of Foundation's `#Predicate`, as far as Mango has the like.
    ///
    /// ```swift
    /// let recent = Where(#Predicate<Car> { $0.year > 2005 && $0.make.starts(with: "T") })
    /// ```
    ///
    /// What maps: comparisons of fields with values, `&&`, `||`, `!`, optional chaining, `!` behind an optional, `nil`,
    /// `contains` of given arrays and ranges, of arrays and of strings, `contains` and `allSatisfy` with a closure,
    /// `starts(with:)`, and `?? false` behind a condition. Of all else, such as arithmetic, other defaults or localized
    /// comparisons, the error of ``selector`` names the expression. What it means is what Mango makes of it, see
    /// ``Where``: other than Foundation, a comparison is never true of a field that is missing, `!=` neither.
    ///
    /// - Parameter predicate: A predicate of one input.
    public init(_ predicate: Predicate<Value>) {
        self.init { () throws(QueryPredicateError) in
            let scope = FoundationScope(predicate.variable.key, as: Field(steps: [], type: Value.self))
            return try scope.clause(predicate.expression)
        }
    }
}
