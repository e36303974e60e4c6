//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension DocumentText {
    /// Replaces line breaks by spaces. This is needed because a feed has one line per document, but a document is
    /// stored as it was received. In JSON, line breaks occur only between values, where a space is equivalent.
    mutating func joinLines() {
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices
            where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") {
                bytes[index] = UInt8(ascii: " ")
            }
        }
    }
}
