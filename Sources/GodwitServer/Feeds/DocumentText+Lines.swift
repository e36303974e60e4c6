//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension DocumentText {
    /// Replaces line breaks by spaces, because feeds need one line per document and documents are stored as received.
    /// In JSON, line breaks occur only between values, where a space is equivalent.
    mutating func joinLines() {
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices
            where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") {
                bytes[index] = UInt8(ascii: " ")
            }
        }
    }
}
