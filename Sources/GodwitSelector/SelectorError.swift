//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// What is wrong with a selector, in CouchDB's words (`mango_error.erl`).
///
/// CouchDB writes arguments as Erlang terms, and so does ``reason``: the string `"["` is `<<91>>`.
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
    /// CouchDB's name of the mistake, the member `error` of an answer.
    package let error: String
    /// What is wrong, the member `reason` of an answer.
    package let reason: String

    /// The status of an answer: 400.
    package var status: Int { 400 }

    private init(_ error: String, _ reason: String) {
        self.error = error
        self.reason = reason
    }
}

extension SelectorError: CustomStringConvertible {
    /// Both texts on one line.
    package var description: String { "\(error): \(reason)" }
}

extension SelectorError {
    /// The selector is not an object.
    static func notAnObject(_ value: JSONValue) -> SelectorError {
        SelectorError("invalid_selector_json", "Selector must be a JSON object, not: \(ErlangTerm.text(of: value))")
    }

    /// A condition stands at the root without a field.
    static let missingFieldName = SelectorError(
        "invalid_selector", "One or more conditions is missing a field name.")

    /// An operator has an argument that it cannot take.
    static func badArgument(_ name: String, _ argument: JSONValue) -> SelectorError {
        SelectorError("bad_arg", "Bad argument for operator \(name): \(ErlangTerm.text(of: argument))")
    }

    /// An operator has an area that cannot be.
    static func badArea(_ name: String, _ message: String) -> SelectorError {
        SelectorError("bad_arg", "Bad argument for operator \(name): \(message).")
    }

    /// An operator of MongoDB that CouchDB knows and does not have.
    static func notSupported(_ name: String) -> SelectorError {
        SelectorError("not_supported", "Unsupported operator: \(name)")
    }

    /// There is no such operator.
    static func invalidOperator(_ name: String) -> SelectorError {
        SelectorError("invalid_operator", "Invalid operator: \(name)")
    }

    /// `$text` stands below a field.
    static func badField(_ selector: JSONValue) -> SelectorError {
        SelectorError("bad_field", "Invalid field normalization on selector: \(ErlangTerm.text(of: selector))")
    }

    /// A dotted path has an empty step. CouchDB finds this while it reads documents, and answers 500 with the error
    /// `unknown_error` and this reason.
    static func invalidFieldName(_ name: String) -> SelectorError {
        let term = ErlangTerm.text(of: .string(name))
        return SelectorError("invalid_field_name", "Unknown Error: mango_util :: {invalid_field_name,\(term)}")
    }

    /// ``SelectorLimits/depthMax`` is passed.
    static let tooDeep = SelectorError(
        "invalid_selector", "Selector is nested deeper than \(SelectorLimits.depthMax) levels.")

    /// ``SelectorLimits/clauseCountMax`` is passed.
    static let tooManyClauses = SelectorError(
        "invalid_selector", "Selector has more than \(SelectorLimits.clauseCountMax) conditions.")

    /// ``SelectorLimits/argumentValuesMax`` is passed.
    static let tooManyValues = SelectorError(
        "invalid_selector",
        "Selector has more than \(SelectorLimits.argumentValuesMax) values. Ask with shorter lists, several times.")

    /// ``SelectorLimits/fieldBytesMax`` is passed.
    static let fieldTooLong = SelectorError(
        "invalid_selector", "Selector has a field of more than \(SelectorLimits.fieldBytesMax) bytes.")
}
