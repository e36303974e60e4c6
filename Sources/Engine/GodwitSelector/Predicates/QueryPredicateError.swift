//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error in the conversion of a predicate to a selector. The message describes how to correct the predicate.
///
/// Of the predicate, the message quotes only names of fields and types, and words of a format.
///
/// ```swift
/// do {
///     _ = try PredicateFormat("year > ")
/// } catch {
///     print(error)  // syntax at byte 7: expected a value or a field
/// }
/// ```
public struct QueryPredicateError: Error, Sendable, Equatable {
    /// The kind of an error. Later versions may add kinds. Therefore, a `switch` over kinds needs a default case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// A format does not follow the grammar.
        public static let syntax = Code(description: "syntax")
        /// A format has too few or too many arguments, or an argument of the wrong type for its placeholder.
        public static let arguments = Code(description: "arguments")
        /// The name of a field cannot be derived from a key path.
        public static let unknownField = Code(description: "unknownField")
        /// Mango has no equivalent.
        public static let unsupported = Code(description: "unsupported")
        /// A value cannot be used in the predicate. The value cannot be stored in a document, its stored form does not
        /// have the order of the Swift values, it is a regular expression that does not compile, or it is a negative
        /// count.
        public static let invalidValue = Code(description: "invalidValue")
        /// The predicate exceeds a limit of ``PredicateLimits`` or of selectors.
        public static let tooLarge = Code(description: "tooLarge")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of the error, with the expected input.
    public let message: String
    /// The position of the error in a format, in bytes of UTF-8; `nil` when the predicate is not a format or the
    /// position is unknown.
    public let offset: Int?

    init(_ code: Code, _ message: String, at offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    /// Returns the error with a position in a format. If the error already has a position, returns it unchanged.
    func located(at offset: Int) -> QueryPredicateError {
        QueryPredicateError(code, message, at: self.offset ?? offset)
    }
}

extension QueryPredicateError: CustomStringConvertible {
    /// The kind, the position and the message on one line.
    public var description: String {
        "\(code)\(offset.map { " at byte \($0)" } ?? ""): \(message)"
    }
}
