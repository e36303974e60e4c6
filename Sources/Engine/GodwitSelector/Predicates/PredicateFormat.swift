//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A condition on documents, parsed from a format similar to the format of `NSPredicate`.
///
/// ```swift
/// let recent = try PredicateFormat("year = 2006 AND make BEGINSWITH 'T'")
/// print(recent)  // {"$and":[{"year":{"$eq":2006}},{"make":{"$beginsWith":"T"}}]}
/// let owned = try PredicateFormat("%K = %@ OR doors IN {2, 4}", "owner.name", "Ada")
/// ```
///
/// - Comparisons: `=` `==` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>`, `BETWEEN {1, 5}`, `IN {1, 2}`, and for strings
///   `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` with `*` and `?`, and `MATCHES` with a regular expression of PCRE2
///   for the complete string. After an operator, `[c]` makes the comparison ignore the case of letters, in all
///   alphabets. `[c]` is not allowed after `BETWEEN` and the operators of order. `[d]` is not supported, because it has
///   no equivalent in Mango. One operand must be a field, and the other must be a value.
/// - Combinations: `AND` `OR` `NOT` `&&` `||` `!`, parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
/// - Arrays: `tags CONTAINS 'red'` and `'red' IN tags` test whether an array contains an element. If the field is a
///   string, they test whether it contains the other string. `ANY` (or `SOME`), `ALL` and `NONE` test the elements of
///   an array. In `ANY engines.power > 300`, either `engines` or `power` can be the array.
/// - Fields: `engine.power`. A `#` precedes a name that is a keyword.
/// - Values: `'text'` and `"text"` with the escapes `\' \" \\ \n \r \t \u00e9`, numbers in JSON's notation, of which
///   all digits are preserved, `TRUE` `FALSE` `YES` `NO`, `NULL` `NIL`.
/// - Arguments: `%@` for any value, `%d` for an integer, `%f` for a number, `%K` for a field. In quotes, `%` is
///   literal; in a name, `%%` is a percent sign.
///
/// Keywords may be in lower case. Conditions have the semantics of Mango, see ``Where``. Only two comparisons are true
/// for a missing field: `field = nil`, and `IN` with a list that contains `nil`. Both are also true for a field that is
/// `null`. `field != nil` is true for all fields that are neither missing nor `null`. If the field is an array, `IN` is
/// true if the list contains at least one element of the array.
public struct PredicateFormat: Sendable {
    let clause: MangoClause

    /// The condition as a Mango selector, without a condition on a type: see ``Where/init(_:)-PredicateFormat``.
    public let selector: JSONObject

    /// Parses a format.
    ///
    /// - Parameters:
    ///   - format: The format. It may have at most ``PredicateLimits/formatBytesMax`` bytes, and conditions may be
    ///     nested at most ``PredicateLimits/depthMax`` levels deep.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K`, in order.
    /// - Throws: ``QueryPredicateError``, with the position of the error if it is known.
    public init(_ format: String, _ arguments: JSONValue...) throws(QueryPredicateError) {
        try self.init(format, arguments: arguments)
    }

    /// Parses a format with a list of arguments.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K`, in order.
    /// - Throws: ``QueryPredicateError``, with the position of the error if it is known.
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
    /// Creates the condition that a document has this type and matches a format. In the format, a field has its name in
    /// documents, which can differ from the name of the Swift property.
    public init(_ format: PredicateFormat) {
        self.init { format.clause }
    }
}
