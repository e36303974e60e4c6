//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A keyed container for ``FieldProbe``: optional members are `nil`, and all other members have blank values.
struct FieldProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: FieldProbe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    /// This function is called for properties that are optional scalars. The type of a scalar is not needed, because
    /// scalars have no members.
    func decodeNil(forKey key: Key) throws -> Bool {
        try probe.see(key, nil)
        return true
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try probe.see(key, type)
        return try probe.blank(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try probe.see(key, type)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw BlankValues.Missing() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw BlankValues.Missing() }

    func superDecoder() throws -> any Decoder { throw BlankValues.Missing() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw BlankValues.Missing() }
}

/// The values that blank members are decoded from.
enum BlankValues {
    /// The error that no blank value of a type could be created.
    struct Missing: Error {}

    /// Most types can be decoded from at least one of these values.
    static let candidates: [JSONValue] = ["", 0, false, [], [:], "0", "2001-01-01T00:00:00Z"]
}
