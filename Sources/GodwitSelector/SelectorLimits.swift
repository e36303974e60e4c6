//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// What a selector may cost. CouchDB has no such limits but the size of a request.
package enum SelectorLimits {
    /// How many arrays and objects may stand inside each other in a selector, its arguments included.
    package static let depthMax = 100
    /// How many conditions and combinations of them a selector may have.
    package static let clauseCountMax = 10_000
    /// How long the dotted path of a field may be, in bytes.
    package static let fieldBytesMax = 1_024
    /// How much of a wrong argument is repeated in an error's reason, in bytes.
    package static let reasonArgumentBytesMax = 4_096

    /// Refuses a selector that is too deep.
    static func checkDepth(of selector: JSONValue) throws(SelectorError) {
        var pending = [(value: selector, depth: 1)]
        while let (value, depth) = pending.popLast() {
            guard value.kind == .array || value.kind == .object else { continue }
            if depth > depthMax { throw .tooDeep }
            for element in value.elements { pending.append((element, depth + 1)) }
            for member in value.members { pending.append((member.value, depth + 1)) }
        }
    }
}
