//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

// A type's `CodingKeys` are private, and its decoding requests them. A decoder that returns blank values therefore sees
// the keys and types of a type's properties until the property is found. If a value cannot be synthesized, for example
// of an enum that has no case for an empty string, the search ends. The key can then still be derived from the
// property's name.

/// Finds the coding key of a property by decoding its type from blank values.
struct FieldProbe: Decoder {
    /// The name of a property in documents, and its type if it was seen.
    struct Finding: Error {
        let name: String
        let type: (any Any.Type)?
    }

    /// The property to find; `nil` to create a blank value.
    let property: String?
    let depth: Int
    private let keys = Keys()
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The type of the first requested coding keys.
    private final class Keys {
        var type: (any CodingKey.Type)?
    }

    /// Finds a property of a type.
    ///
    /// - Returns: `nil` when no coding key with the property's name was found, also because the keys are not an enum.
    static func find<Value: Decodable>(_ property: String, in type: Value.Type) -> Finding? {
        let probe = FieldProbe(property: property, depth: 0)
        do {
            _ = try Value(from: probe)
        } catch let finding as Finding {
            return finding
        } catch {
            // The keys may be known despite the error.
        }
        return probe.keys.type.flatMap { named(property, in: $0) }
    }

    private static func named<Key: CodingKey>(_ property: String, in type: Key.Type) -> Finding? {
        guard let key = Key(stringValue: property), EnumCase.name(of: key) == property else { return nil }
        return Finding(name: key.stringValue, type: nil)
    }

    init(property: String?, depth: Int) {
        self.property = property
        self.depth = depth
    }

    /// Records a requested key with its type, if that is known.
    ///
    /// - Throws: The ``Finding`` if the key is that of the property.
    func see<Key: CodingKey>(_ key: Key, _ type: (any Any.Type)?) throws {
        guard let property, Self.isCodingKeys(Key.self), EnumCase.name(of: key) == property else { return }
        throw Finding(name: key.stringValue, type: type)
    }

    /// Whether a type of keys is named `CodingKeys`: a type encodes itself with these keys. Custom decoding may use
    /// further types of keys for older documents.
    private static func isCodingKeys(_ type: any CodingKey.Type) -> Bool { String(describing: type) == "CodingKeys" }

    /// Returns any value of a type.
    func blank<Value: Decodable>(_ type: Value.Type) throws -> Value {
        for candidate in BlankValues.candidates {
            if let value = try? StoredForm.decode(type, from: candidate) { return value }
        }
        if let cases = type as? any CaseIterable.Type, let first = cases.first as? Value { return first }
        guard depth < PredicateLimits.fieldProbeDepthMax else { throw BlankValues.Missing() }
        return try Value(from: FieldProbe(property: nil, depth: depth + 1))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        if keys.type == nil, Self.isCodingKeys(type) { keys.type = type }
        return KeyedDecodingContainer(FieldProbeContainer<Key>(probe: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw BlankValues.Missing() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw BlankValues.Missing() }
}

extension CaseIterable {
    fileprivate static var first: Any? { allCases.first }
}
