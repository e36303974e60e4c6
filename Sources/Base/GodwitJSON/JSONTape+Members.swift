//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Iteration over elements and members, and lookup of members.
extension JSONTape {
    /// A sequence of the indices of an array's elements, in order; empty for any other value.
    package struct Elements: Sequence, IteratorProtocol {
        @usableFromInline let tape: JSONTape
        @usableFromInline var position: Int
        @usableFromInline let end: Int

        @inlinable
        package mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = Int(tape.entries[position].next) }
            return position
        }
    }

    /// A sequence of the indices of the names and values of an object's members, in order, including duplicates; empty
    /// for any other value.
    package struct Members: Sequence, IteratorProtocol {
        @usableFromInline let tape: JSONTape
        @usableFromInline var position: Int
        @usableFromInline let end: Int

        @inlinable
        package mutating func next() -> (key: Int, value: Int)? {
            guard position < end else { return nil }
            let key = position
            position = Int(tape.entries[key + 1].next)
            return (key, key + 1)
        }
    }

    /// Returns the elements of an array.
    ///
    /// - Parameter index: The array's index.
    /// - Returns: The indices of its elements; an empty sequence when the value is not an array.
    package func elements(of index: Int) -> Elements {
        let entry = entries[index]
        return Elements(tape: self, position: index + 1, end: entry.kind == .array ? Int(entry.next) : 0)
    }

    /// Returns the members of an object.
    ///
    /// - Parameter index: The object's index.
    /// - Returns: The indices of its members' names and values; an empty sequence when the value is not an object.
    package func members(of index: Int) -> Members {
        let entry = entries[index]
        return Members(tape: self, position: index + 1, end: entry.kind == .object ? Int(entry.next) : 0)
    }

    /// Returns the value of a member. If several members have the name, returns the value of the last of them.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - index: The object's index.
    /// - Returns: The index of the value; `nil` when the object has no such member, or the value is not an object.
    /// - Complexity: O(*n*) in the number of members.
    package func member(_ name: StaticString, of index: Int) -> Int? {
        lastMember(of: index) { keyEquals($0, name) }
    }

    /// Returns the value of a member. If several members have the name, returns the value of the last of them.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - index: The object's index.
    /// - Returns: The index of the value; `nil` when the object has no such member, or the value is not an object.
    /// - Complexity: O(*n*) in the number of members.
    @_disfavoredOverload
    package func member(_ name: String, of index: Int) -> Int? {
        var name = name
        return name.withUTF8 { nameBytes in
            let nameBytes = UnsafeRawBufferPointer(nameBytes)
            return lastMember(of: index) { keyEquals($0, bytes: nameBytes) }
        }
    }

    @inline(__always)
    private func lastMember(of index: Int, where matches: (Int) -> Bool) -> Int? {
        guard entries[index].kind == .object else { return nil }
        let end = Int(entries[index].next)
        var valueIndex: Int?
        var key = index + 1
        while key < end {
            if matches(key) { valueIndex = key + 1 }
            key = Int(entries[key + 1].next)
        }
        return valueIndex
    }
}
