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

    /// Optional scalars are requested here. Their type is not needed, because they have no members.
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
    /// No value of a type could be created.
    struct Missing: Error {}

    /// Values from which most types can decode at least one blank value.
    static let candidates: [JSONValue] = ["", 0, false, [], [:], "0", "2001-01-01T00:00:00Z"]
}
