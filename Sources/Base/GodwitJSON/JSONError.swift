//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error in a JSON text, with its position.
///
/// The message names what was expected. It never contains a part of the text, so it may be logged.
///
/// ```swift
/// do {
///     try JSONScanner.validate(Array("[1, 2".utf8))
/// } catch {
///     print(error)
///     // the text ends before the end of the JSON, at byte 5: expected a comma or the end of the array
/// }
/// ```
public struct JSONError: Error, Sendable, Equatable {
    /// The kind of error. More codes may be added. Therefore, match the codes that you handle, and have a default case.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        /// The description of the code in ``JSONError/description``.
        let words: String

        /// The text does not follow the grammar of RFC 8259.
        public static let syntax = Code(description: "syntax", words: "the text is not JSON")
        /// The text ends before its value is complete.
        public static let unexpectedEnd = Code(
            description: "unexpectedEnd", words: "the text ends before the end of the JSON")
        /// A string contains bytes that are not UTF-8: overlong forms, surrogates, code points beyond U+10FFFF, stray
        /// bytes.
        public static let invalidUTF8 = Code(description: "invalidUTF8", words: "a string is not in UTF-8")
        /// A `\u` escape is one half of a surrogate pair without the other half.
        public static let unpairedSurrogate = Code(
            description: "unpairedSurrogate", words: "an escape in a string is half a character")
        /// A number with a fraction or an exponent is beyond the finite doubles.
        public static let numberOutOfRange = Code(description: "numberOutOfRange", words: "a number is out of range")
        /// Arrays and objects are nested deeper than the limit.
        public static let tooDeep = Code(description: "tooDeep", words: "the JSON is nested too deep")
        /// The text is longer than the limit.
        public static let tooLarge = Code(description: "tooLarge", words: "the JSON is too long")
        /// The task was cancelled during the scan. This error is thrown only with `JSONLimits.stopsWhenCancelled`.
        public static let cancelled = Code(description: "cancelled", words: "the JSON was not read completely")
    }

    /// The kind of error.
    public let code: Code
    /// The offset of the error in bytes from the start of the text.
    public let offset: Int
    /// A description of what was expected at the offset.
    public let message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    /// The error, its offset and what was expected there, on one line.
    public var description: String {
        "\(code.words), at byte \(offset): \(message)"
    }
}
