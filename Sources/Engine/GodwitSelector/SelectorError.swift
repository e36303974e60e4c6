//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// An error of parsing a selector, with CouchDB's texts (`mango_error.erl`).
///
/// As in CouchDB, ``reason`` contains arguments in the syntax of Erlang. For example, the string `"["` is `<<91>>`.
///
/// ```swift
/// do {
///     _ = try Selector(parsing: ["year": ["$in": 3]])
/// } catch {
///     error.error   // "bad_arg"
///     error.reason  // "Bad argument for operator $in: 3"
/// }
/// ```
package struct SelectorError: Error, Sendable, Equatable {
    /// The name of the error: the member `error` of a response. If CouchDB has such an error, this is CouchDB's name.
    package let error: String
    /// The description of the error: the member `reason` of a response.
    package let reason: String

    /// The HTTP status of a response: 400.
    package var status: Int { 400 }

    private init(_ error: String, _ reason: String) {
        self.error = error
        self.reason = reason
    }
}

extension SelectorError: CustomStringConvertible {
    /// The error and the reason on one line.
    package var description: String { "\(error): \(reason)" }
}

extension SelectorError {
    /// The selector is not an object.
    static func notAnObject(_ value: JSONValue) -> SelectorError {
        SelectorError("invalid_selector_json", "Selector must be a JSON object, not: \(ErlangTerm.text(of: value))")
    }

    /// A condition at the root has no field.
    static let missingFieldName = SelectorError(
        "invalid_selector", "One or more conditions is missing a field name.")

    /// The argument of an operator is not valid.
    static func badArgument(_ name: String, _ argument: JSONValue) -> SelectorError {
        SelectorError("bad_arg", "Bad argument for operator \(name): \(ErlangTerm.text(of: argument))")
    }

    /// The pattern of `$regex` needs PCRE2, which is not linked.
    static func unsupportedPattern(_ pattern: JSONValue, _ reason: String) -> SelectorError {
        SelectorError(
            "bad_arg",
            "Bad argument for operator $regex: \(ErlangTerm.text(of: pattern)). \(reason) This program searches without PCRE2."
        )
    }

    /// The argument of a geospatial operator is not valid.
    static func badArea(_ name: String, _ message: String) -> SelectorError {
        SelectorError("bad_arg", "Bad argument for operator \(name): \(message).")
    }

    /// The operator exists in MongoDB but is not supported.
    static func notSupported(_ name: String) -> SelectorError {
        SelectorError("not_supported", "Unsupported operator: \(name)")
    }

    /// The operator does not exist.
    static func invalidOperator(_ name: String) -> SelectorError {
        SelectorError("invalid_operator", "Invalid operator: \(name)")
    }

    /// A `$text` is below a field, or a `$default` does not contain exactly one `$text`.
    static func badField(_ selector: JSONValue) -> SelectorError {
        SelectorError("bad_field", "Invalid field normalization on selector: \(ErlangTerm.text(of: selector))")
    }

    /// A dotted path has an empty step. CouchDB detects this while it reads documents, and responds 500 with the error
    /// `unknown_error` and this reason.
    static func invalidFieldName(_ name: String) -> SelectorError {
        let term = ErlangTerm.text(of: .string(name))
        return SelectorError("invalid_field_name", "Unknown Error: mango_util :: {invalid_field_name,\(term)}")
    }

    /// The selector exceeds ``SelectorLimits/depthMax``.
    static let tooDeep = SelectorError(
        "invalid_selector", "Selector is nested deeper than \(SelectorLimits.depthMax) levels.")

    /// The selector exceeds ``SelectorLimits/clauseCountMax``.
    static let tooManyClauses = SelectorError(
        "invalid_selector", "Selector has more than \(SelectorLimits.clauseCountMax) conditions.")

    /// The selector exceeds ``SelectorLimits/argumentValuesMax``.
    static let tooManyValues = SelectorError(
        "invalid_selector",
        "Selector has more than \(SelectorLimits.argumentValuesMax) values. Send several queries with shorter lists.")

    /// A field exceeds ``SelectorLimits/fieldBytesMax``.
    static let fieldTooLong = SelectorError(
        "invalid_selector", "Selector has a field of more than \(SelectorLimits.fieldBytesMax) bytes.")
}
