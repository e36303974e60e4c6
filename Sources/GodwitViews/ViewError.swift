//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript

/// Why a view gave no rows.
public struct ViewError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match the ones that you handle and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `notFound`.
        public let description: String

        /// There is no such design document, or no such view in it.
        public static let notFound = Code(description: "notFound")
        /// The parameters of the query do not go together.
        public static let invalidQuery = Code(description: "invalidQuery")
        /// A function failed; see ``ScriptError``.
        public static let script = Code(description: "script")
        /// A built-in reduce function was given what it cannot reduce.
        public static let invalidValue = Code(description: "invalidValue")
        /// What a reduce function gives grows with what it is given.
        public static let reduceOverflow = Code(description: "reduceOverflow")
    }

    /// What kind of failure it is.
    public let code: Code
    /// CouchDB's word for it, for example `query_parse_error`.
    public let error: String
    /// What happened, and what to do about it where something can be done.
    public let reason: String

    package init(_ code: Code, error: String, reason: String) {
        self.code = code
        self.error = error
        self.reason = reason
    }

    /// Both words in one line.
    public var description: String { "\(error): \(reason)" }

    package static func invalidQuery(_ reason: String) -> ViewError {
        ViewError(.invalidQuery, error: "query_parse_error", reason: reason)
    }

    package static func notFound(_ reason: String) -> ViewError {
        ViewError(.notFound, error: "not_found", reason: reason)
    }

    static func overflow(_ reason: String) -> ViewError {
        ViewError(.reduceOverflow, error: "reduce_overflow_error", reason: reason)
    }
}
