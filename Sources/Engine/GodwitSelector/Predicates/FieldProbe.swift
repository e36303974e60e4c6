//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

// The `CodingKeys` of a type are private, but a decoder sees them, because the type passes these keys to the decoder
// when it requests its values. Therefore, a decoder that returns blank values is used. It sees the keys and types of
// the properties one after the other, until the property is found. The search ends at the first property for whose type
// no blank value can be created. Even then, the key is found if its string is the name of the property.

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

    /// The `CodingKeys` type that the decoded type requests first.
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
            // The type of the keys may be known although decoding failed. In this case, it is used below.
        }
        return probe.keys.type.flatMap { named(property, in: $0) }
    }

    private static func named<Key: CodingKey>(_ property: String, in type: Key.Type) -> Finding? {
        guard let key = Key(stringValue: property), EnumCase.name(of: key)?.isIdenticalText(to: property) == true else {
            return nil
        }
        return Finding(name: key.stringValue, type: nil)
    }

    init(property: String?, depth: Int) {
        self.property = property
        self.depth = depth
    }

    /// Compares a requested key with the key of the property that is searched for. `type` is the type of the requested
    /// value; `nil` when it is unknown.
    ///
    /// - Throws: The ``Finding`` if the two keys are equal.
    func see<Key: CodingKey>(_ key: Key, _ type: (any Any.Type)?) throws {
        guard let property, Self.isCodingKeys(Key.self), EnumCase.name(of: key)?.isIdenticalText(to: property) == true
        else { return }
        throw Finding(name: key.stringValue, type: type)
    }

    /// Whether a type of keys is named `CodingKeys`. Keys of other types are ignored: a type with custom decoding may
    /// use them to read older documents, but it encodes itself only with `CodingKeys`.
    private static func isCodingKeys(_ type: any CodingKey.Type) -> Bool {
        String(describing: type).isIdenticalText(to: "CodingKeys")
    }

    /// Returns a blank value of a type.
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
