//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension DocumentText {
    /// Makes it one line, as feeds need it: documents are sent as they were written. In JSON a line break stands between
    /// values alone, where a space is the same.
    mutating func joinLines() {
        bytes.withUnsafeMutableBufferPointer { bytes in
            for position in bytes.indices where bytes[position] == UInt8(ascii: "\n") || bytes[position] == UInt8(ascii: "\r") {
                bytes[position] = UInt8(ascii: " ")
            }
        }
    }
}
