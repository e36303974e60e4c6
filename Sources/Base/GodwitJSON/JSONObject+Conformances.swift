//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object. If a key occurs several times, its last value is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension JSONObject: Hashable {
    /// Whether both objects have the same members. The order of the members does not matter.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        JSONValue.object(left) == .object(right)
    }

    /// Feeds the members into a hasher. The order of the members does not matter.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(JSONValue.object(self))
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as JSON text.
    public var description: String { JSONValue.object(self).jsonText() }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first member: 0.
    public var startIndex: Int { 0 }

    /// The position after the last member.
    public var endIndex: Int { members.count }

    /// The member at a position.
    public subscript(position: Int) -> Element { members[position] }
}
