//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A key that is equal to another if both have the same Unicode scalars.
struct JSONObjectKey: Hashable {
    let text: String

    static func == (left: JSONObjectKey, right: JSONObjectKey) -> Bool {
        left.text.isIdenticalText(to: right.text)
    }

    func hash(into hasher: inout Hasher) {
        text.hashText(into: &hasher)
    }
}
