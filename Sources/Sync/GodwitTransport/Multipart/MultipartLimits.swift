//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits for a multipart body.
package struct MultipartLimits: Sendable {
    /// The maximum size of one part's headers in bytes, with their line breaks and the empty line after them.
    package var headerBytesMax = 16 << 10

    /// The maximum number of parts of one body.
    package var partsMax = 10_000

    /// The maximum number of bytes before the first delimiter.
    package var preambleBytesMax = 16 << 10

    /// The maximum length of a boundary in bytes (RFC 2046, section 5.1.1).
    package static let boundaryBytesMax = 70

    /// The maximum number of bytes of one ``MultipartEvent/body(_:)`` event.
    package static let bodyPieceBytesMax = 64 << 10

    /// The maximum number of blanks that may follow the boundary on its line. A line with more blanks is not a
    /// delimiter, and belongs to the body.
    package static let paddingBytesMax = 256

    /// Creates the default limits.
    package init() {}

    /// The maximum number of bytes that a reader buffers while it waits for more.
    var waitingBytesMax: Int { max(headerBytesMax, Self.boundaryBytesMax + Self.paddingBytesMax + 8) }
}
