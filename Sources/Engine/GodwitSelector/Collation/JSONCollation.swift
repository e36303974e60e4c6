//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// Compares JSON values in CouchDB's order, which its views and Mango's operators use.
///
/// `null` < `false` < `true` < numbers < strings < arrays < objects. Numbers compare by their exact value at any
/// length, and `1` equals `1.0`. Strings follow ICU's root collation, without a tie-break by bytes. Arrays compare
/// element by element. Objects compare member by member in their stored order, first by name, then by value. If one
/// array or object is a prefix of the other, the prefix sorts first.
///
/// Two different values can be equal in this order: for example the composed and the decomposed form of `"é"`, or `"a"`
/// and `"a\u0000"`. CouchDB's `$eq` uses the same equality. CouchDB's function `mango_selector:match` tests whether the
/// result of `mango_json:cmp` is 0. `mango_json:cmp` calls `couch_ejson_compare:less`, and this function compares
/// strings by `ucol_strcollIter` with the collator `""`. Only the field `_id` is compared exactly
/// (`mango_json:cmp_raw`).
///
/// ```swift
/// JSONCollation.compare("b", "A")     // .after
/// JSONCollation.compare([1, 2], [1])  // .after
/// ```
package enum JSONCollation {
    /// Compares two values.
    ///
    /// - Returns: The position of `left` relative to `right`.
    /// - Complexity: O(*n*) in the size of the smaller value. The stack depth does not depend on the nesting of the
    ///   values.
    package static func compare(_ left: JSONValue, _ right: JSONValue) -> JSONOrder {
        JSONComparison.compare(left, right, by: .collation)
    }

    /// Compares a value in a scanned text with another value, without decoding the value in the text.
    ///
    /// - Parameters:
    ///   - tape: The scanned text.
    ///   - index: The index of the value in it.
    ///   - right: The other value.
    /// - Returns: The position of the value in the text relative to `right`.
    package static func compare(_ tape: JSONTape, at index: Int, _ right: JSONValue) -> JSONOrder {
        JSONComparison.compare(TapeNode(tape: tape, index: index), right, by: .collation)
    }

    /// Compares two values in scanned texts, without decoding them.
    ///
    /// - Returns: The position of the value at `index` of `tape` relative to the value at `otherIndex` of `other`.
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
