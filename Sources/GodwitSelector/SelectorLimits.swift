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
    /// How many values the arguments of a selector may have, those of its lists included.
    package static let argumentValuesMax = 200_000
    /// How many ranges of a field two conditions may have together for what is in both to be worked out.
    static let rangesIntersectedMax = 2_000
    /// How long the dotted path of a field may be, in bytes.
    package static let fieldBytesMax = 1_024
    /// How much of a wrong argument is repeated in an error's reason, in bytes.
    package static let reasonArgumentBytesMax = 4_096

    /// Refuses a selector that is too deep, or has too many values.
    static func check(_ selector: JSONValue) throws(SelectorError) {
        var count = 0
        try check(selector, at: 1, &count)
    }

    private static func check(_ value: JSONValue, at depth: Int, _ count: inout Int) throws(SelectorError) {
        count += 1
        if count > argumentValuesMax { throw .tooManyValues }
        switch value {
        case .array(let elements):
            if depth > depthMax { throw .tooDeep }
            for element in elements { try check(element, at: depth + 1, &count) }
        case .object(let members):
            if depth > depthMax { throw .tooDeep }
            for member in members { try check(member.value, at: depth + 1, &count) }
        case .null, .bool, .integer, .bigInteger, .double, .string: break
        }
    }
}
