//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Properties of a string that the scanner found while it read it.
package struct JSONStringTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The string contains an escape, so the text of the string differs from the bytes between its quotes.
    package static let escaped = JSONStringTraits(rawValue: 1)
    /// The string contains bytes beyond ASCII.
    package static let nonASCII = JSONStringTraits(rawValue: 2)
}
