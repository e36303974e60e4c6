//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSelector

/// The paths of fields as a text index has them: steps divided by points, a point in a name after a backslash, and
/// nothing for the way into an array.
enum TextPath {
    /// The path of a field as a definition or a query writes it.
    static func normalized(_ written: String) -> String {
        guard
            written.utf8.contains(where: {
                $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "[")
            })
        else { return written }
        return FieldPath(written).steps.filter { $0 != "[]" }.reduce("") { appending($1, to: $0) }
    }

    /// The path of a member.
    static func appending(_ name: String, to path: String) -> String {
        let name = name.utf8.contains(UInt8(ascii: ".")) ? escaped(name) : name
        return path.isEmpty ? name : path + "." + name
    }

    private static func escaped(_ name: String) -> String {
        name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "\\.")
    }
}
