//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The index of an element, or the name `super`, in a coding path.
struct ElementKey: CodingKey {
    static let superclass = ElementKey(stringValue: "super")

    let stringValue: String
    let intValue: Int?

    init(_ position: Int) {
        stringValue = String(position)
        intValue = position
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        self.init(intValue)
    }
}

extension [any CodingKey] {
    /// The names and indexes of the path, such as `legs.0.km`; `the value` if the path is empty.
    var text: String {
        isEmpty ? "the value" : map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
