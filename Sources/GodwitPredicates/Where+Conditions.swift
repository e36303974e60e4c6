//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

// What has no operator. Implicit members read well beside them: `\.year > 2005 && .begins(\.make, with: "T")`.
extension Where {
    /// Whether a field's value is one of several; `nil` among them is a field that is missing or `null`.
    public static func isIn<Member: Encodable & Equatable>(
        _ field: KeyPath<Value, Member>, _ values: some Sequence<Member>
    ) -> Where {
        Where { () throws(QueryPredicateError) in
            var stored: [JSONValue] = []
            for value in values { stored.append(try StoredValue(value).json) }
            return try .isIn(Field(field).steps, stored)
        }
    }

    /// Whether a field is missing or `null`.
    ///
    /// Where the way to the field leads through a value that has no members, `null` too, this is false.
    public static func isNil<Member>(_ field: KeyPath<Value, Member?>) -> Where {
        Where { () throws(QueryPredicateError) in try .isNil(Field(field).steps) }
    }

    /// Whether a field is there; one that is `null` is.
    public static func exists<Member>(_ field: KeyPath<Value, Member>) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$exists": true]) }
    }

    /// Whether a text begins with another, byte by byte.
    public static func begins(_ field: KeyPath<Value, String>, with prefix: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$beginsWith": .string(prefix)]) }
    }

    /// Whether a text is there and begins with another, byte by byte.
    public static func begins(_ field: KeyPath<Value, String?>, with prefix: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$beginsWith": .string(prefix)]) }
    }

    /// Whether a text holds another, byte by byte.
    public static func contains(_ field: KeyPath<Value, String>, _ text: String) -> Where {
        Where { () throws(QueryPredicateError) in .holds(try Field(field).steps, text) }
    }

    /// Whether a text is there and holds another, byte by byte.
    public static func contains(_ field: KeyPath<Value, String?>, _ text: String) -> Where {
        Where { () throws(QueryPredicateError) in .holds(try Field(field).steps, text) }
    }

    /// Whether a regular expression of PCRE2 matches somewhere in a text.
    ///
    /// Pattern and text are bytes, unless the pattern begins with `(*UTF)`. One that does not compile shows as an error
    /// of ``selector``.
    public static func matches(_ field: KeyPath<Value, String>, regex pattern: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$regex": .string(pattern)]) }
    }

    /// Whether a text is there and a regular expression of PCRE2 matches somewhere in it.
    public static func matches(_ field: KeyPath<Value, String?>, regex pattern: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$regex": .string(pattern)]) }
    }

    /// Whether a text index of the database finds words; see the index for what a query may hold.
    ///
    /// It cannot be negated.
    public static func text(_ query: String) -> Where { Where { .text(query) } }
}
