//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Escapes and parses the paths of fields in Mango's notation. In `address.city`, the period separates two names. In
/// `versions\.json`, the period is part of the only name, because a backslash precedes it.
enum DottedPath {
    /// Returns a name as one step of a path, with its periods escaped.
    static func escaped(_ name: String) -> String {
        name.replacingBytes(".", with: #"\."#)
    }

    /// Returns the steps of a path. Periods in names remain escaped.
    static func steps(of path: String) -> [String] {
        var steps = [""]
        var previous: Unicode.Scalar = " "
        for scalar in path.unicodeScalars {
            if scalar == ".", previous != "\\" {
                steps.append("")
            } else {
                steps[steps.count - 1].unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return steps
    }

    /// Returns the reason why a path cannot be used; `nil` when it is valid.
    static func mistake(in path: String) -> String? {
        for step in steps(of: path) {
            if step.isEmpty { return "a name is empty" }
            if step.unicodeScalars.first == "$" { return "a name begins with $, as operators do" }
        }
        return nil
    }
}
