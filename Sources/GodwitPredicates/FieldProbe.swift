//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

// The `CodingKeys` of a type are private, but a decoder sees them, because the type requests values by these keys.
// Therefore, a decoder that returns blank values is used. It sees the keys and types of the properties one after the
// other, until the property is found. If no value can be created for a property, for example for an enum that has no
// case for an empty string, the search ends. Even in this case, the key can be derived from the name of the property.

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
    /// - Returns: `nil` when no coding key with the property's name was found, for example because the keys are not an
    ///   enum.
    static func find<Value: Decodable>(_ property: String, in type: Value.Type) -> Finding? {
        let probe = FieldProbe(property: property, depth: 0)
        do {
            _ = try Value(from: probe)
        } catch let finding as Finding {
            return finding
        } catch {
            // Even after an error, the type of the keys may be known.
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

    /// Records a requested key, and the type of the value if it is known.
    ///
    /// - Throws: The ``Finding`` if the key is the key of the property that is searched for.
    func see<Key: CodingKey>(_ key: Key, _ type: (any Any.Type)?) throws {
        guard let property, Self.isCodingKeys(Key.self), EnumCase.name(of: key) == property else { return }
        throw Finding(name: key.stringValue, type: type)
    }

    /// Whether a type of keys is named `CodingKeys`. With these keys, a type encodes itself. In custom decoding, a type
    /// may use further types of keys, for older documents.
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
