//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// CouchDB's order of JSON values, that of its views and of Mango's operators.
///
/// `null` < `false` < `true` < numbers < strings < arrays < objects. Numbers compare by their exact value at any
/// length, and `1` is the same as `1.0`. Strings follow ICU's root collation, without a tie-break by bytes. Arrays
/// compare element by element, objects member by member in the order in which they stand, name first, then value; where
/// one ends first, it sorts first.
///
/// Two different values can be the same here: `"é"` composed and decomposed, `"a"` and `"a\u0000"`. CouchDB's `$eq` is
/// this sameness too: `mango_selector:match` asks whether `mango_json:cmp` is 0, which calls
/// `couch_ejson_compare:less`, whose strings go to `ucol_strcollIter` of the collator `""`. Only the field `_id` is
/// compared exactly (`mango_json:cmp_raw`).
///
/// ```swift
/// JSONCollation.compare("b", "A")     // .after
/// JSONCollation.compare([1, 2], [1])  // .after
/// ```
package enum JSONCollation {
    /// Compares two values.
    ///
    /// - Returns: Where `left` stands relative to `right`.
    /// - Complexity: O(*n*) in the size of the smaller value; needs no stack in proportion to their depth.
    package static func compare(_ left: JSONValue, _ right: JSONValue) -> JSONOrder {
        JSONComparison.compare(left, right, by: .collation)
    }

    /// Compares a value of a scanned text with another value, without building the first one.
    ///
    /// - Parameters:
    ///   - tape: The scanned text.
    ///   - index: The value in it.
    ///   - right: The other value.
    /// - Returns: Where the value in the text stands relative to `right`.
    package static func compare(_ tape: JSONTape, at index: Int, _ right: JSONValue) -> JSONOrder {
        JSONComparison.compare(TapeNode(tape: tape, index: index), right, by: .collation)
    }

    /// Compares two values of scanned texts, without building them.
    ///
    /// - Returns: Where the value at `index` of `tape` stands relative to that at `otherIndex` of `other`.
    package static func compare(
        _ tape: JSONTape,
        at index: Int,
        _ other: JSONTape,
        at otherIndex: Int
    ) -> JSONOrder {
        let right = TapeNode(tape: other, index: otherIndex)
        return JSONComparison.compare(TapeNode(tape: tape, index: index), right, by: .collation)
    }
}
