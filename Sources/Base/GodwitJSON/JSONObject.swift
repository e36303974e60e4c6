//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The members of a JSON object, in order.
///
/// Keys are distinct by their Unicode scalars. In an object of fewer than ``indexedCountMin`` members, a key is found
/// by a linear search. A larger object has an index of its keys.
///
/// ```swift
/// var object: JSONObject = ["b": 1, "a": 2]
/// object["b"] = nil
/// object["c"] = 3
/// object.keys  // ["a", "c"]
/// ```
public struct JSONObject: Sendable {
    /// A member.
    public typealias Element = (key: String, value: JSONValue)

    /// An object with at least this number of members has an index of its keys.
    public static let indexedCountMin = 24

    private(set) var members: [Element]
    /// The position of each key; `nil` if the object has fewer than ``indexedCountMin`` members.
    private var positions: [JSONObjectKey: Int]?

    /// Creates an object without members.
    public init() {
        members = []
    }

    /// Creates an object from members. If a key occurs several times, only the last member with this key is used, at
    /// the position of that member.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.init(members: members.map { ($0, $1) }, mayHoldDuplicates: true)
    }

    /// Creates an object from members.
    ///
    /// - Parameters:
    ///   - members: The members in order.
    ///   - mayHoldDuplicates: Whether a key may occur several times. If a key does, only its last member is used, at
    ///     the position of that member.
    init(members: [Element], mayHoldDuplicates: Bool) {
        self.members = mayHoldDuplicates ? Self.withoutDuplicates(members) : members
        buildIndex()
    }

    /// The value of a key.
    ///
    /// Setting a value replaces the existing value at its position, or appends a member. Setting `nil` removes the
    /// member.
    ///
    /// - Complexity: Reading takes O(1) on average if the object has an index, and O(*n*) if it has none. Removing
    ///   takes O(*n*).
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            guard let newValue else {
                removeValue(forKey: key)
                return
            }
            if let position = position(of: key) {
                members[position].value = newValue
            } else {
                append(key, newValue)
            }
        }
    }

    /// Removes a member.
    ///
    /// - Parameter key: Its key.
    /// - Returns: Its value; `nil` when the object has no such member.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        guard let position = position(of: key) else { return nil }
        let member = members.remove(at: position)
        buildIndex()
        return member.value
    }

    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// The values in order.
    public var values: [JSONValue] { members.map(\.value) }

    /// Returns the position of a key, or `nil`.
    func position(of key: String) -> Int? {
        if let positions { return positions[JSONObjectKey(text: key)] }
        return members.firstIndex { $0.key.isIdenticalText(to: key) }
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        if positions != nil {
            positions?[JSONObjectKey(text: key)] = members.count - 1
        } else {
            buildIndex()
        }
    }

    /// Creates the index if the object has enough members. Removes the index if the object has fewer members.
    private mutating func buildIndex() {
        positions = nil
        guard members.count >= Self.indexedCountMin else { return }
        var positions = [JSONObjectKey: Int](minimumCapacity: members.count)
        for (position, member) in members.enumerated() {
            positions[JSONObjectKey(text: member.key)] = position
        }
        self.positions = positions
    }

    private static func withoutDuplicates(_ members: [Element]) -> [Element] {
        var lastPositions: [JSONObjectKey: Int] = [:]
        for (position, member) in members.enumerated() {
            lastPositions[JSONObjectKey(text: member.key)] = position
        }
        guard lastPositions.count < members.count else { return members }
        return members.enumerated().filter { lastPositions[JSONObjectKey(text: $1.key)] == $0 }.map(\.element)
    }
}
