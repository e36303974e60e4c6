//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension DocumentText {
    /// Replaces line breaks by spaces. A document is stored as it was received and may contain line breaks, but in a
    /// feed each document must be one line. In JSON, line breaks occur only between values, and a space between values
    /// has the same meaning.
    mutating func joinLines() {
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices
            where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") {
                bytes[index] = UInt8(ascii: " ")
            }
        }
    }
}
