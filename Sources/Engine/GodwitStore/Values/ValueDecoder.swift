//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Decodes Swift values from a JSON value.
struct ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a value.
    ///
    /// - Throws: `DecodingError`, ``StoreError`` if values are nested too deeply, or the type's own error.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue, at codingPath: [any CodingKey]
    ) throws -> Value {
        if let scalarType = type as? any JSONScalar.Type {
            guard let decoded = scalarType.init(scalar: value) as? Value else {
                throw mismatch(type, of: value, at: codingPath)
            }
            return decoded
        }
        guard codingPath.count < ValueEncoder.depthMax else {
            throw StoreError(.undecodable, "more than \(ValueEncoder.depthMax) values are nested in each other")
        }
        return try Value(from: ValueDecoder(value: value, codingPath: codingPath))
    }

    /// The error for a value that has another type.
    static func mismatch(_ type: any Any.Type, of value: JSONValue, at codingPath: [any CodingKey]) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.objectValue else {
            throw Self.mismatch([String: Any].self, of: value, at: codingPath)
        }
        return KeyedDecodingContainer(KeyedValueDecodingContainer<Key>(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.arrayValue else { throw Self.mismatch([Any].self, of: value, at: codingPath) }
        return UnkeyedValueDecodingContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.decode(type, from: value, at: codingPath)
    }
}
