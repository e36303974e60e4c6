//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the scanner learnt about a string while it read it.
package struct JSONStringTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The string holds a backslash: its bytes are not its text.
    package static let escaped = JSONStringTraits(rawValue: 1)
    /// The string holds bytes beyond ASCII.
    package static let nonASCII = JSONStringTraits(rawValue: 2)
}
