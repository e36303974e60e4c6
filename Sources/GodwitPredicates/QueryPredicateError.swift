//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a predicate cannot be asked of documents, and what to do about it.
///
/// The message holds no more than the predicate itself: names of fields and types, the words of a format.
///
/// ```swift
/// do {
///     _ = try PredicateFormat("year > ")
/// } catch {
///     print(error)  // syntax at byte 7: expected a value or a field
/// }
/// ```
public struct QueryPredicateError: Error, Sendable, Equatable {
    /// The kind of mistake. More kinds may come: match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// A format does not follow the grammar.
        public static let syntax = Code(description: "syntax")
        /// The arguments of a format are too few, too many or of another kind than their places ask for.
        public static let arguments = Code(description: "arguments")
        /// The name of a field cannot be told from a key path.
        public static let unknownField = Code(description: "unknownField")
        /// There is nothing in Mango that means the same.
        public static let unsupported = Code(description: "unsupported")
        /// A value cannot stand in a document, or has no order there.
        public static let invalidValue = Code(description: "invalidValue")
        /// A limit of ``QueryLimits`` or of selectors is passed.
        public static let tooLarge = Code(description: "tooLarge")
    }

    /// The kind of mistake.
    public let code: Code
    /// What is wrong and what was expected.
    public let message: String
    /// Where in a format it was found, in bytes of UTF-8; `nil` for other predicates.
    public let offset: Int?

    init(_ code: Code, _ message: String, at offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    /// The same mistake at a place of a format.
    func located(at offset: Int) -> QueryPredicateError {
        QueryPredicateError(code, message, at: self.offset ?? offset)
    }
}

extension QueryPredicateError: CustomStringConvertible {
    /// The kind, the place and the message on one line.
    public var description: String {
        "\(code)\(offset.map { " at byte \($0)" } ?? ""): \(message)"
    }
}
