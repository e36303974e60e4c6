//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The limits on a selector's size. CouchDB limits only the size of a request.
package enum SelectorLimits {
    /// The maximum nesting of arrays and objects in a selector, including its arguments.
    package static let depthMax = 100
    /// The maximum number of conditions and combinations in a selector.
    package static let clauseCountMax = 10_000
    /// The maximum number of values in a selector, including the elements of lists.
    package static let argumentValuesMax = 200_000
    /// If two conditions on a field have more ranges together than this number, the intersection of their ranges is not
    /// computed.
    static let rangesIntersectedMax = 2_000
    /// The maximum length of a field's dotted path in bytes.
    package static let fieldBytesMax = 1_024
    /// The maximum length of an invalid argument's text in an error's reason.
    package static let reasonArgumentBytesMax = 4_096

    /// Throws ``SelectorError`` when a selector is nested too deep or has too many values.
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
