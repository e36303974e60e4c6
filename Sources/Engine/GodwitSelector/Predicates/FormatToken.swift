//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A token of a predicate format.
struct FormatToken {
    enum Kind: Equatable {
        /// A name or a keyword.
        case word(String)
        /// A name after a `#`. It is never a keyword.
        case name(String)
        /// A literal value, or a value passed as an argument.
        case value(JSONValue)
        /// A key path passed as an argument.
        case keyPath(String)
        /// A sign, such as `<=` or `(`.
        case sign(String)
        /// The options in brackets after an operator, such as the `c` of `[c]`.
        case options(String)
        case end
    }

    let kind: Kind
    /// The position in the format, in bytes.
    let offset: Int

    /// The word in upper case; `nil` for other tokens.
    var keyword: String? {
        if case .word(let text) = kind { text.uppercased() } else { nil }
    }

    func isSign(_ sign: String) -> Bool { kind == .sign(sign) }
}
