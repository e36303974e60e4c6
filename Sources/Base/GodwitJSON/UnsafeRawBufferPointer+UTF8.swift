//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension UnsafeRawBufferPointer {
    /// Whether the bytes are valid UTF-8. ASCII is scanned 32 bytes at a time.
    package var isUTF8: Bool {
        guard let baseAddress else { return true }
        let text = JSONText(base: baseAddress, count: count)
        var offset = text.skippingLongASCII(from: 0)
        while offset < count {
            guard let end = try? text.endOfSequence(from: offset) else { return false }
            offset = text.skippingLongASCII(from: end)
        }
        return true
    }
}
