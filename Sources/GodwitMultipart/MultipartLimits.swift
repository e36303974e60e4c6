//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a multipart body.
package struct MultipartLimits: Sendable {
    /// The headers of one part, in bytes, with their line ends and the empty line behind them.
    package var headerBytesMax = 16 << 10

    /// The parts of one body.
    package var partsMax = 10_000

    /// What may stand before the first delimiter, in bytes.
    package var preambleBytesMax = 16 << 10

    /// The longest boundary, in bytes (RFC 2046, section 5.1.1).
    package static let boundaryBytesMax = 70

    /// The longest piece of a body that one event carries, in bytes.
    package static let bodyPieceBytesMax = 64 << 10

    /// The blanks that may follow the boundary on its line; with more of them, the line belongs to the body.
    package static let paddingBytesMax = 256

    /// Creates the default limits, to be changed one by one.
    package init() {}

    /// What a reader keeps at most while it waits for more bytes.
    var waitingBytesMax: Int { max(headerBytesMax, Self.boundaryBytesMax + Self.paddingBytesMax + 8) }
}
