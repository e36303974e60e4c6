//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSelector

/// Normalizes the paths of fields for a text index: steps are separated by periods, a period in a name is escaped by a
/// backslash, and steps into arrays are omitted.
enum TextPath {
    /// Returns the normalized path for the path in a definition or a query.
    static func normalized(_ written: String) -> String {
        guard
            written.utf8.contains(where: {
                $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "[")
            })
        else { return written }
        return FieldPath(written).steps.filter { $0 != "[]" }.reduce("") { appending($1, to: $0) }
    }

    /// Returns the path of a member.
    static func appending(_ name: String, to path: String) -> String {
        let name = name.utf8.contains(UInt8(ascii: ".")) ? escaped(name) : name
        return path.isEmpty ? name : path + "." + name
    }

    private static func escaped(_ name: String) -> String {
        name.pieces(at: ".", omittingEmptySubsequences: false).joined(separator: "\\.")
    }
}
