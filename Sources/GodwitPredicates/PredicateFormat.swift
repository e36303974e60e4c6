//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A condition on documents, written as `NSPredicate` has it.
///
/// ```swift
/// let recent = try PredicateFormat("year = 2006 AND make BEGINSWITH 'T'")
/// print(recent)  // {"$and":[{"year":{"$eq":2006}},{"make":{"$beginsWith":"T"}}]}
/// let owned = try PredicateFormat("%K = %@ OR doors IN {2, 4}", "owner.name", "Ada")
/// ```
///
/// - Comparisons: `=` `==` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>`, `BETWEEN {1, 5}`, `IN {1, 2}`, and of strings
///   `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` with `*` and `?`, and `MATCHES` with a regular expression of PCRE2
///   for the whole string. `[c]` behind one ignores the case of all alphabets; `[d]` has no like in Mango. One side is
///   a field, the other a value.
/// - Combinations: `AND` `OR` `NOT` `&&` `||` `!`, parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
/// - Arrays: `tags CONTAINS 'red'` and `'red' IN tags` ask for an element, and of strings for a part. `ANY` (or
///   `SOME`), `ALL` and `NONE` ask for elements; in `ANY engines.power > 300` any step may be the array.
/// - Fields: `engine.power`; a name that is a keyword stands after `#`.
/// - Values: `'text'` and `"text"` with the escapes `\' \" \\ \n \r \t \u00e9`, numbers as in JSON with all their
///   digits, `TRUE` `FALSE` `YES` `NO`, `NULL` `NIL`.
/// - Arguments: `%@` for any value, `%d` for an integer, `%f` for a number, `%K` for a field. In quotes, `%` is itself;
///   in a name, `%%` is a percent sign.
///
/// Keywords may be in lower case. What a condition means is what Mango makes of it, see ``Where``: a missing field
/// meets only `field = nil`, which is true of missing and of `null`; `field != nil` is true of all others. `IN` looks
/// at the elements of an array, too.
public struct PredicateFormat: Sendable {
    let clause: MangoClause

    /// The condition as a Mango selector. A condition on a type is not in it: see ``Where/init(_:)-PredicateFormat``.
    public let selector: JSONObject

    /// Reads a format.
    ///
    /// - Parameters:
    ///   - format: The format, at most ``QueryLimits/predicateFormatBytesMax`` bytes long, conditions at most
    ///     ``QueryLimits/predicateDepthMax`` deep in each other.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K`, in order.
    /// - Throws: ``QueryPredicateError`` with the place of the mistake.
    public init(_ format: String, _ arguments: JSONValue...) throws(QueryPredicateError) {
        try self.init(format, arguments: arguments)
    }

    /// Reads a format with a list of arguments.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K`, in order.
    /// - Throws: ``QueryPredicateError`` with the place of the mistake.
    public init(_ format: String, arguments: [JSONValue]) throws(QueryPredicateError) {
        clause = try FormatParser.clause(format, arguments)
        selector = try clause.selector()
    }
}

extension PredicateFormat: CustomStringConvertible {
    /// The selector as JSON.
    public var description: String { selector.description }
}

extension Where {
    /// The condition of a format, on documents of this type. Fields are named as in the documents.
    public init(_ format: PredicateFormat) {
        self.init { format.clause }
    }
}
