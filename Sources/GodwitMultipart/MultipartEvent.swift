//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a ``MultipartReader`` found next.
package enum MultipartEvent: Sendable, Equatable {
    /// A part begins. It has no headers at all when the list is empty.
    case headers(MultipartHeaders)

    /// The next bytes of the part's body, never none and at most ``MultipartLimits/bodyPieceBytesMax``.
    case body([UInt8])

    /// The part's body is complete. A part without a body has no ``body(_:)`` before this.
    case partEnd

    /// The closing delimiter was read. Nothing follows; an epilogue is ignored.
    case end
}
