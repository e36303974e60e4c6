//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The paths of fields as Mango writes them: `address.city`, and `versions\.json` for one name with a point.
enum DottedPath {
    /// A name as one step.
    static func escaped(_ name: String) -> String {
        name.replacing(".", with: #"\."#)
    }

    /// The steps of a path, points in names still escaped.
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

    /// Why a path leads nowhere; `nil` when it can be used.
    static func mistake(in path: String) -> String? {
        for step in steps(of: path) {
            if step.isEmpty { return "a name is empty" }
            if step.unicodeScalars.first == "$" { return "a name begins with $, as operators do" }
        }
        return nil
    }
}
