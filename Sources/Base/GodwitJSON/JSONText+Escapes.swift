//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Validation of escapes in strings.
extension JSONText {
    /// Scans the escape whose backslash is at `start`, and returns the offset after it. A surrogate pair is two
    /// escapes, which are scanned together.
    func endOfEscape(from start: Int) throws(JSONError) -> Int {
        guard start + 1 < count else { throw unexpected(at: count, expected: "an escape") }
        switch self[start + 1] {
        case .quote, .backslash, .slash, .letter("b"), .letter("f"), .letter("n"), .letter("r"), .letter("t"):
            return start + 2
        case .letter("u"):
            return try endOfUnicodeEscape(from: start)
        default:
            throw unexpected(at: start + 1, expected: #"one of "\/bfnrtu after a backslash"#)
        }
    }

    private func endOfUnicodeEscape(from start: Int) throws(JSONError) -> Int {
        let first = try hexQuad(at: start + 2)
        let end = start + 6
        guard first & 0xF800 == 0xD800 else { return end }
        guard first < 0xDC00, end + 1 < count, self[end] == .backslash, self[end + 1] == .letter("u") else {
            throw unpaired(at: start)
        }
        guard try hexQuad(at: end + 2) & 0xFC00 == 0xDC00 else { throw unpaired(at: start) }
        return end + 6
    }

    private func hexQuad(at start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for offset in start..<start + 4 {
            guard offset < count, let digit = self[offset].hexValue else {
                throw unexpected(at: min(offset, count), expected: "four hexadecimal digits")
            }
            value = value << 4 | digit
        }
        return value
    }

    private func unpaired(at offset: Int) -> JSONError {
        JSONError(.unpairedSurrogate, at: offset, "expected both halves of a surrogate pair")
    }
}
