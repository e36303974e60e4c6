//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

// Foundation's JSONEncoder would do with three exceptions, and each costs data: it writes a decimal as a number, of
// which a document keeps seventeen digits; it writes dates as doubles or cuts them to seconds; and it gives members in
// another order in every process. So values are encoded to JSON values here, without a text between.

/// Encodes Swift values as JSON values, members in the order in which a type encodes them.
///
/// It collects one value, and the containers that it gave out refer to it. Members and elements that have containers
/// of their own are put in when all is encoded.
final class ValueEncoder: Encoder {
    /// How many values may be encoded or decoded inside each other. A debug build overflowed a stack of 512 KB between
    /// 200 and 300 values of a small type.
    static let depthMax = 100

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var scalar: JSONValue?
    var members: JSONObject?
    var elements: [JSONValue]?
    private var openMembers: [(name: String, encoder: ValueEncoder)] = []
    private var openElements: [(place: Int, encoder: ValueEncoder)] = []

    init(codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    /// Encodes a value.
    ///
    /// - Throws: `EncodingError`, ``StoreError`` when values stand too deep in each other, or what the value throws.
    static func encode<Value: Encodable>(_ value: Value, at codingPath: [any CodingKey]) throws -> JSONValue {
        if let known = value as? any JSONScalar {
            if let scalar = known.scalar { return scalar }
            throw EncodingError.invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: ""))
        }
        guard codingPath.count < depthMax else {
            throw StoreError(.invalidDocument, "more than \(depthMax) values are nested in each other")
        }
        let encoder = ValueEncoder(codingPath: codingPath)
        try value.encode(to: encoder)
        let encoded = try encoder.encoded()
        // A dictionary's order is another one in every process.
        guard Value.self is any UnorderedMembers.Type, case .object(let members) = encoded else { return encoded }
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSONObject(sorted.map { ($0.key, $0.value) }))
    }

    /// What was encoded so far; an empty object when that is nothing.
    private func encoded() throws -> JSONValue {
        guard [members != nil, elements != nil, scalar != nil].count(where: \.self) < 2 else {
            throw StoreError(.invalidDocument, "\(codingPath.text) is encoded in containers of two kinds")
        }
        if var elements {
            for (place, encoder) in openElements { elements[place] = try encoder.encoded() }
            return .array(elements)
        }
        if let scalar { return scalar }
        var members = members ?? [:]
        for (name, encoder) in openMembers { members[name] = try encoder.encoded() }
        return .object(members)
    }

    /// The encoder of a member's containers, the same one for the same name.
    func encoder(ofMember key: any CodingKey) -> ValueEncoder {
        if let open = openMembers.first(where: { $0.name.utf8.elementsEqual(key.stringValue.utf8) }) {
            return open.encoder
        }
        let encoder = ValueEncoder(codingPath: codingPath + [key])
        openMembers.append((key.stringValue, encoder))
        members?[key.stringValue] = .null
        return encoder
    }

    /// The encoder of the next element's containers.
    func encoderOfNextElement() -> ValueEncoder {
        let place = elements?.count ?? 0
        let encoder = ValueEncoder(codingPath: codingPath + [ElementKey(place)])
        openElements.append((place, encoder))
        elements?.append(.null)
        return encoder
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if members == nil { members = [:] }
        return KeyedEncodingContainer(KeyedValueEncodingContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if elements == nil { elements = [] }
        return UnkeyedValueEncodingContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ScalarEncodingContainer(encoder: self)
    }
}

/// A collection whose members come in no order of their own.
private protocol UnorderedMembers {}

extension Dictionary: UnorderedMembers {}
