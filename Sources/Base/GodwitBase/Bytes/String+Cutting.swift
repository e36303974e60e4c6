//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension String {
    /// Returns the text before and after the first occurrence of an ASCII character; `nil` if it does not occur.
    ///
    /// The character is found by its byte. In contrast, `split(separator:)` does not find a slash that a combining mark
    /// follows.
    package func cut(at separator: Unicode.Scalar) -> (head: String, tail: String)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (String(self[..<index]), String(self[utf8.index(after: index)...]))
    }
}
