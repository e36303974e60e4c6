//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The place of an element, or the name `super`, in a coding path.
struct ElementKey: CodingKey {
    static let superclass = ElementKey(stringValue: "super")

    let stringValue: String
    let intValue: Int?

    init(_ place: Int) {
        stringValue = String(place)
        intValue = place
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
    /// The names and places that lead to a value, such as `legs.0.km`; `the value` for the outermost.
    var text: String {
        isEmpty ? "the value" : map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
