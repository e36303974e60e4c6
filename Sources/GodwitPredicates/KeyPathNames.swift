//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads the names of the properties of a key path.
enum KeyPathNames {
    /// Returns the names in order; `nil` when one of the steps is not a stored property.
    ///
    /// The description of a key path is `\Car.engine?.power?`, with `<computed …>` or `<offset …>` for a step without a
    /// name.
    static func names(of keyPath: AnyKeyPath) -> [String]? {
        let root = "\\" + String(describing: type(of: keyPath).rootType) + "."
        let text = keyPath.debugDescription
        guard text.hasPrefix(root) else { return nil }
        let steps = text.dropFirst(root.count)
        guard !steps.contains("<") else { return nil }
        let names = steps.split(separator: ".", omittingEmptySubsequences: false).map { step in
            String(step.filter { $0 != "?" && $0 != "!" })
        }
        return names.contains("") ? nil : names
    }
}
