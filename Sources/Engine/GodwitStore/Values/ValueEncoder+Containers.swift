//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

struct KeyedValueEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) {
        encoder.members?[key.stringValue] = .null
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let member = try ValueEncoder.encode(value, at: codingPath + [key])
        encoder.members?[key.stringValue] = member
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.encoder(ofMember: key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.encoder(ofMember: key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        encoder.encoder(ofMember: ElementKey.superclass)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        encoder.encoder(ofMember: key)
    }
}

struct UnkeyedValueEncodingContainer: UnkeyedEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.elements?.count ?? 0 }

    mutating func encodeNil() {
        encoder.elements?.append(.null)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        let element = try ValueEncoder.encode(value, at: codingPath + [ElementKey(count)])
        encoder.elements?.append(element)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.encoderOfNextElement().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.encoderOfNextElement().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        encoder.encoderOfNextElement()
    }
}

struct ScalarEncodingContainer: SingleValueEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() {
        encoder.scalar = .null
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        encoder.scalar = try ValueEncoder.encode(value, at: codingPath)
    }
}
