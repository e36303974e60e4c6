//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An event of a ``MultipartReader``.
package enum MultipartEvent: Sendable, Equatable {
    /// A part starts, with these headers. There are none when the part has no headers.
    case headers(MultipartHeaders)

    /// The next bytes of the part's body: at least one and at most ``MultipartLimits/bodyPieceBytesMax``.
    case body([UInt8])

    /// The part's body is complete. If the body is empty, no event ``body(_:)`` precedes this event.
    case partEnd

    /// The closing delimiter was read. No event follows, because bytes after the closing delimiter are ignored.
    case end
}
