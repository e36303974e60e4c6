//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The canonical form of a value. Equal values have canonical forms with the same bytes, even if different programs
/// wrote their texts.
///
/// The canonical form is that of RFC 8785 (members ordered by the UTF-16 code units of their names, the shortest
/// escapes, no white space), with one exception. RFC 8785 converts every number to a double, but a document's integers
/// are exact. Therefore, a number written without fraction and exponent keeps its digits (`-0` becomes `0`). Any other
/// number is converted to a double, and written as ECMAScript writes this double.
extension JSONTape {
    /// Appends the canonical form of a value. Of several members with the same name, only the last member is written.
    ///
    /// - Parameters:
    ///   - index: The value's index.
    ///   - droppingUnderscoredMembers: Whether to omit members of the value whose names start with an underscore.
    ///     Members of nested objects are never omitted.
    ///   - output: The array to which the bytes are appended.
    /// - Complexity: O(*n* log *n*), without recursion.
    package func appendCanonical(
        _ index: Int,
        droppingUnderscoredMembers: Bool,
        to output: inout [UInt8]
    ) {
        var writer = JSONCanonicalWriter(tape: self)
        writer.append(index, droppingUnderscoredMembers: droppingUnderscoredMembers, to: &output)
    }
}
