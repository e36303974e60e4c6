//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; of duplicate keys the last wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        JSONValue.object(left) == .object(right)
    }

    /// Feeds the members into a hasher, in whatever order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(JSONValue.object(self))
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as JSON text.
    public var description: String { JSONValue.object(self).jsonText() }
}

extension JSONObject: RandomAccessCollection {
    /// The place of the first member: 0.
    public var startIndex: Int { 0 }

    /// One past the place of the last member.
    public var endIndex: Int { members.count }

    /// The member at a place.
    public subscript(position: Int) -> Element { members[position] }
}
