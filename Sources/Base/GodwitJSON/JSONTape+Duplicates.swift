//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds and removes members of an object that have the same name as a later member of the object. RFC 8259 does not
/// define the meaning of such members; here the last member wins.
///
/// The members of a small object are compared pair by pair, and the members of a larger object are compared with a hash
/// table. The hashes are seeded for each process, so that no choice of names makes the table slow. In both cases names
/// are compared by their text after unescaping.
extension JSONTape {
    /// The maximum number of members of an object that is compared pair by pair.
    private static let pairwiseMax = 12

    /// Whether any object in a subtree has two members of the same name.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    package func hasDuplicateMembers(in index: Int) -> Bool {
        for object in index..<Int(entries[index].next) where entries[object].kind == .object {
            if hasOwnDuplicates(object) { return true }
        }
        return false
    }

    /// Appends a value without the members that a later member of the same name replaces.
    ///
    /// All other bytes are appended unchanged.
    ///
    /// - Parameters:
    ///   - index: The value's index.
    ///   - output: The array to which the bytes are appended.
    package func appendWithoutDuplicates(_ index: Int, to output: inout [UInt8]) {
        var start = Int(entries[index].start)
        for replacedName in replacedNames(in: index) where Int(entries[replacedName].start) >= start {
            output.append(contentsOf: bytes[start..<Int(entries[replacedName].start)])
            // A replaced member is never the last member of its object, because the member that replaces it follows.
            // Therefore, all bytes up to the next name are dropped.
            start = Int(entries[Int(entries[replacedName + 1].next)].start)
        }
        output.append(contentsOf: bytes[start..<Int(entries[index].end)])
    }

    /// Whether two members of the object have the same name. Members of nested objects are not compared.
    func hasOwnDuplicates(_ object: Int) -> Bool {
        let count = entries[object].count
        if count < 2 { return false }
        var hasDuplicates = false
        if count <= Self.pairwiseMax {
            comparePairs(of: object) { _ in hasDuplicates = true }
        } else {
            compareHashed(object) { _ in hasDuplicates = true }
        }
        return hasDuplicates
    }

    /// Returns the names of replaced members in the order of the text. A replaced member can be within the value of
    /// another replaced member.
    private func replacedNames(in index: Int) -> [Int] {
        var replacedNames: [Int] = []
        for object in index..<Int(entries[index].next) where entries[object].kind == .object {
            if hasOwnDuplicates(object) { compareHashed(object) { replacedNames.append($0) } }
        }
        return replacedNames.sorted()
    }

    @inline(__always)
    private func comparePairs(of object: Int, found: (Int) -> Void) {
        let end = Int(entries[object].next)
        var first = object + 1
        while first < end {
            var second = Int(entries[first + 1].next)
            let following = second
            while second < end {
                if namesAreEqual(first, second) { return found(first) }
                second = Int(entries[second + 1].next)
            }
            first = following
        }
    }

    /// Compares the members with a hash table. Calls `found` for each member that a later member replaces.
    private func compareHashed(_ object: Int, found: (Int) -> Void) {
        let mask = Self.tableSize(for: count(of: object)) - 1
        var table = [UInt32](repeating: 0, count: mask + 1)
        for (name, _) in members(of: object) {
            var slot = hash(of: name) & mask
            while table[slot] != 0, !namesAreEqual(Int(table[slot]), name) {
                slot = (slot + 1) & mask
            }
            if table[slot] != 0 { found(Int(table[slot])) }
            table[slot] = UInt32(name)
        }
    }

    /// Returns a power of two that leaves at least half of the table empty.
    private static func tableSize(for count: Int) -> Int {
        var size = 16
        while size < count * 2 { size *= 2 }
        return size
    }

    private func hash(of name: Int) -> Int {
        withText(of: name) { text in
            var hasher = Hasher()
            hasher.combine(bytes: text)
            return hasher.finalize()
        }
    }

    @inline(__always)
    private func namesAreEqual(_ first: Int, _ second: Int) -> Bool {
        let left = entries[first]
        let right = entries[second]
        if !left.traits.union(right.traits).contains(.escaped), left.end - left.start != right.end - right.start {
            return false
        }
        return withText(of: first) { keyEquals(second, bytes: $0) }
    }
}
