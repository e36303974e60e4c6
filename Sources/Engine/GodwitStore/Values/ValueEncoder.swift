//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

// Values are encoded directly to JSON values here. Foundation's JSONEncoder would lose data in three cases:
//
// - It writes a decimal as a number, and a document keeps only seventeen digits of a number.
// - It writes dates as doubles, or truncates them to seconds.
// - It orders members differently in every process.

/// Encodes Swift values as JSON values, with members in the order in which a type encodes them.
///
/// An encoder collects one value. The containers that the encoder returns refer to the encoder. Members and elements
/// with their own containers are inserted when the encoding ends.
final class ValueEncoder: Encoder {
    /// The largest depth of nested values. In a debug build, nested values of a small type overflowed a stack of 512 KB
    /// at a depth between 200 and 300.
    static let depthMax = 100

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var scalar: JSONValue?
    var members: JSONObject?
    var elements: [JSONValue]?
    private var openMembers: [(name: String, encoder: ValueEncoder)] = []
    private var openElements: [(index: Int, encoder: ValueEncoder)] = []

    init(codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    /// Encodes a value.
    ///
    /// - Throws: `EncodingError`, ``StoreError`` if values are nested too deeply, or the value's own error.
    static func encode<Value: Encodable>(_ value: Value, at codingPath: [any CodingKey]) throws -> JSONValue {
        if let scalarValue = value as? any JSONScalar {
            if let scalar = scalarValue.scalar { return scalar }
            throw EncodingError.invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: ""))
        }
        guard codingPath.count < depthMax else {
            throw StoreError(.invalidDocument, "more than \(depthMax) values are nested in each other")
        }
        let encoder = ValueEncoder(codingPath: codingPath)
        try value.encode(to: encoder)
        let encoded = try encoder.encoded()
        // The members of a dictionary are sorted, because their order differs in every process.
        guard Value.self is any UnorderedMembers.Type, case .object(let members) = encoded else { return encoded }
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSONObject(sorted.map { ($0.key, $0.value) }))
    }

    /// The encoded value; an empty object if nothing was encoded.
    private func encoded() throws -> JSONValue {
        guard [members != nil, elements != nil, scalar != nil].count(where: \.self) < 2 else {
            throw StoreError(.invalidDocument, "\(codingPath.text) is encoded in two different kinds of containers")
        }
        if var elements {
            for (index, encoder) in openElements { elements[index] = try encoder.encoded() }
            return .array(elements)
        }
        if let scalar { return scalar }
        var members = members ?? [:]
        for (name, encoder) in openMembers { members[name] = try encoder.encoded() }
        return .object(members)
    }

    /// The encoder of a member's containers. Two calls with the same name return the same encoder.
    func encoder(ofMember key: any CodingKey) -> ValueEncoder {
        if let existing = openMembers.first(where: { $0.name.utf8.elementsEqual(key.stringValue.utf8) }) {
            return existing.encoder
        }
        let encoder = ValueEncoder(codingPath: codingPath + [key])
        openMembers.append((key.stringValue, encoder))
        members?[key.stringValue] = .null
        return encoder
    }

    /// The encoder of the next element's containers.
    func encoderOfNextElement() -> ValueEncoder {
        let index = elements?.count ?? 0
        let encoder = ValueEncoder(codingPath: codingPath + [ElementKey(index)])
        openElements.append((index, encoder))
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

/// A collection whose members have no defined order.
private protocol UnorderedMembers {}

extension Dictionary: UnorderedMembers {}
