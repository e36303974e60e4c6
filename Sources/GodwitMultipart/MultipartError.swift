//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What was wrong with a multipart body, and what to do about it.
///
/// The message never holds any of the body or its headers, so that it may be logged and sent.
package struct MultipartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match with a default.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `incomplete`.
        package let description: String

        /// The boundary is empty, too long, or holds characters that no boundary may have.
        package static let invalidBoundary = Code(description: "invalidBoundary")
        /// A line among a part's headers is no header.
        package static let malformedHeader = Code(description: "malformedHeader")
        /// The headers of one part are above `headerBytesMax`.
        package static let headersTooLarge = Code(description: "headersTooLarge")
        /// More than `preambleBytesMax` bytes stand before the first delimiter.
        package static let preambleTooLarge = Code(description: "preambleTooLarge")
        /// There are more parts than `partsMax`.
        package static let tooManyParts = Code(description: "tooManyParts")
        /// The body ends before its closing delimiter.
        package static let incomplete = Code(description: "incomplete")
    }

    /// The kind of failure.
    package let code: Code

    /// What failed and what to do about it.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message, with its kind.
    package var description: String { "\(code): \(message)" }
}
