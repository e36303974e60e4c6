//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The members of nothing: optional ones are `nil`, all others blank.
struct FieldProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: FieldProbe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    /// Optional scalars are asked for here, and their type is not needed: nothing is inside of them.
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

/// What stands in where any value will do.
enum BlankValues {
    /// No value of a type could be made up.
    struct Missing: Error {}

    /// Values that one of most types can be read from.
    static let candidates: [JSONValue] = ["", 0, false, [], [:], "0", "2001-01-01T00:00:00Z"]
}
