//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A word of a predicate format.
struct FormatToken {
    enum Kind: Equatable {
        /// A name, or a keyword.
        case word(String)
        /// A name that is no keyword, because a `#` stood before it.
        case name(String)
        /// A value that is written out or given as an argument.
        case value(JSONValue)
        /// A key path that is given as an argument.
        case keyPath(String)
        /// A sign, such as `<=` or `(`.
        case sign(String)
        /// What stands in brackets behind an operator, such as `[c]`.
        case options(String)
        case end
    }

    let kind: Kind
    /// Where it stands, in bytes.
    let offset: Int

    /// The keyword in upper case, if it can be one.
    var keyword: String? {
        if case .word(let text) = kind { text.uppercased() } else { nil }
    }

    func isSign(_ sign: String) -> Bool { kind == .sign(sign) }
}
