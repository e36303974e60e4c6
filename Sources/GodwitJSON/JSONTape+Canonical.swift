//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The canonical form of a value: the same bytes for the same value, whoever wrote it.
///
/// It is that of RFC 8785 (members ordered by the UTF-16 code units of their names, the shortest escapes, no white
/// space), with one exception. RFC 8785 turns every number into a double; a document's integers are exact here. A
/// number written without fraction and exponent therefore keeps its digits (`-0` becomes `0`); any other is written as
/// ECMAScript writes its double.
extension JSONTape {
    /// Appends the canonical form of a value; of duplicate members the last counts.
    ///
    /// - Parameters:
    ///   - index: The value.
    ///   - droppingUnderscoredMembers: Whether members of the value itself, not of those inside, are left out when
    ///     their name starts with an underscore.
    ///   - output: Where the bytes go.
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
