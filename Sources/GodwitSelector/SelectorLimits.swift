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
    static func checkDepth(of value: JSONValue, at depth: Int = 1) throws(SelectorError) {
        switch value {
        case .array(let elements):
            if depth > depthMax { throw .tooDeep }
            for element in elements { try checkDepth(of: element, at: depth + 1) }
        case .object(let members):
            if depth > depthMax { throw .tooDeep }
            for member in members { try checkDepth(of: member.value, at: depth + 1) }
        case .null, .bool, .integer, .bigInteger, .double, .string: break
        }
    }
}
