//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error in a multipart body, with advice.
///
/// The message never contains bytes of the body or its headers. Therefore it may be logged and sent.
package struct MultipartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore a `switch` over kinds needs a default.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `incomplete`.
        package let description: String

        /// The boundary is empty, too long, ends with a space, or contains characters that are not printable ASCII.
        package static let invalidBoundary = Code(description: "invalidBoundary")
        /// A line among the headers of a part is not a valid header.
        package static let malformedHeader = Code(description: "malformedHeader")
        /// The headers of one part exceed `headerBytesMax`.
        package static let headersTooLarge = Code(description: "headersTooLarge")
        /// More than `preambleBytesMax` bytes precede the first delimiter.
        package static let preambleTooLarge = Code(description: "preambleTooLarge")
        /// The body has more parts than `partsMax`.
        package static let tooManyParts = Code(description: "tooManyParts")
        /// The body ends before its closing delimiter.
        package static let incomplete = Code(description: "incomplete")
    }

    /// The kind of error.
    package let code: Code

    /// A description of the error, with advice.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message after its kind.
    package var description: String { "\(code): \(message)" }
}
