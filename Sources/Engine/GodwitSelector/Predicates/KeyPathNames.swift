//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Reads the names of the properties of a key path.
enum KeyPathNames {
    /// Returns the names in order; `nil` when one of the steps is not a stored property.
    ///
    /// The description of a key path is `\Car.engine?.power?`, with `<computed …>` or `<offset …>` for a step without a
    /// name.
    static func names(of keyPath: AnyKeyPath) -> [String]? {
        let root = "\\" + String(describing: type(of: keyPath).rootType) + "."
        let text = keyPath.debugDescription
        guard text.begins(with: root) else { return nil }
        let steps = Substring(text.utf8.dropFirst(root.utf8.count))
        guard !steps.includes("<") else { return nil }
        let names = steps.pieces(at: ".", omittingEmptySubsequences: false).map { step in
            String(step.filter { $0 != "?" && $0 != "!" })
        }
        return names.contains("") ? nil : names
    }
}
