//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of a view or of a query of a view.
public struct ViewError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore, match the kinds that you handle, and have a
    /// default case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `notFound`.
        public let description: String

        /// The design document or the view does not exist.
        public static let notFound = Code(description: "notFound")
        /// The parameters of the query are invalid or contradictory.
        public static let invalidQuery = Code(description: "invalidQuery")
        /// A function failed; see ``ScriptError``.
        public static let script = Code(description: "script")
        /// A built-in reduce function has an invalid input, or is not supported.
        public static let invalidValue = Code(description: "invalidValue")
        /// The result of a reduce function grows with its input.
        public static let reduceOverflow = Code(description: "reduceOverflow")
    }

    /// The kind of the error.
    public let code: Code
    /// CouchDB's name of the error, for example `query_parse_error`.
    public let error: String
    /// A description of the error and, if possible, of its correction.
    public let reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - error: CouchDB's name of the error.
    ///   - reason: A description of the error and, if possible, of its correction.
    package init(_ code: Code, error: String, reason: String) {
        self.code = code
        self.error = error
        self.reason = reason
    }

    /// The error and the reason on one line.
    public var description: String { "\(error): \(reason)" }

    /// Returns the error for invalid parameters of a query, CouchDB's `query_parse_error`.
    package static func invalidQuery(_ reason: String) -> ViewError {
        ViewError(.invalidQuery, error: "query_parse_error", reason: reason)
    }

    /// Returns the error for a missing design document or view, CouchDB's `not_found`.
    package static func notFound(_ reason: String) -> ViewError {
        ViewError(.notFound, error: "not_found", reason: reason)
    }

    static func overflow(_ reason: String) -> ViewError {
        ViewError(.reduceOverflow, error: "reduce_overflow_error", reason: reason)
    }
}
