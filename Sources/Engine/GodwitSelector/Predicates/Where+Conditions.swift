//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

// Conditions without an operator. With implicit member syntax, they can be combined with operators: `\.year > 2005 &&
// .begins(\.make, with: "T")`.
extension Where {
    /// Returns the condition that a field's value is one of several values. If one of them is `nil`, a field that is
    /// missing or `null` matches.
    public static func isIn<Member: Encodable & Equatable>(
        _ field: KeyPath<Value, Member>, _ values: some Sequence<Member>
    ) -> Where {
        Where { () throws(QueryPredicateError) in
            var stored: [JSONValue] = []
            for value in values { stored.append(try StoredValue(value).json) }
            return try .isIn(Field(field).steps, stored)
        }
    }

    /// Returns the condition that a field is missing or `null`.
    ///
    /// If the path to the field leads through a value without members, such as `null`, the condition is false.
    public static func isNil<Member>(_ field: KeyPath<Value, Member?>) -> Where {
        Where { () throws(QueryPredicateError) in try .isNil(Field(field).steps) }
    }

    /// Returns the condition that a field exists. A field with the value `null` exists.
    public static func exists<Member>(_ field: KeyPath<Value, Member>) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$exists": true]) }
    }

    /// Returns the condition that a string begins with another string. The strings are compared by bytes.
    public static func begins(_ field: KeyPath<Value, String>, with prefix: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$beginsWith": .string(prefix)]) }
    }

    /// Returns the condition that an optional string exists and begins with another string. The strings are compared by
    /// bytes.
    public static func begins(_ field: KeyPath<Value, String?>, with prefix: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$beginsWith": .string(prefix)]) }
    }

    /// Returns the condition that a string contains another string. The strings are compared by bytes.
    public static func contains(_ field: KeyPath<Value, String>, _ text: String) -> Where {
        Where { () throws(QueryPredicateError) in .holds(try Field(field).steps, text) }
    }

    /// Returns the condition that an optional string exists and contains another string. The strings are compared by
    /// bytes.
    public static func contains(_ field: KeyPath<Value, String?>, _ text: String) -> Where {
        Where { () throws(QueryPredicateError) in .holds(try Field(field).steps, text) }
    }

    /// Returns the condition that a regular expression of PCRE2 matches anywhere in a string.
    ///
    /// The pattern and the string are matched as bytes. If the pattern begins with `(*UTF)`, they are matched as UTF-8.
    /// If the pattern does not compile, ``selector`` throws an error.
    public static func matches(_ field: KeyPath<Value, String>, regex pattern: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$regex": .string(pattern)]) }
    }

    /// Returns the condition that an optional string exists and a regular expression of PCRE2 matches anywhere in it.
    public static func matches(_ field: KeyPath<Value, String?>, regex pattern: String) -> Where {
        Where { () throws(QueryPredicateError) in .field(try Field(field).steps, ["$regex": .string(pattern)]) }
    }

    /// Returns the condition that the database's text index finds a query in the document. The index determines the
    /// query's syntax.
    ///
    /// The condition can neither be negated nor be used for elements of an array: in both cases, ``selector`` throws an
    /// error.
    public static func text(_ query: String) -> Where { Where { .text(query) } }
}
