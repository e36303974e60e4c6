//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A member's name. Names are compared by UTF-16 code units, which is their order in canonical objects.
///
/// UTF-8 sorts by code points. Both orders agree with one exception: in UTF-16, code points from U+10000 on are written
/// as surrogates, which sort below U+E000 to U+FFFF. The first eight bytes of each name are read once and stored,
/// because most comparisons are decided by these bytes.
struct JSONOrderedName {
    /// The index of the name on its tape.
    let index: UInt32
    /// The first eight bytes of the name, padded with zeros, as a number. These numbers have the same order as the
    /// names.
    private let prefix: UInt64

    private static let prefixBytes = 8
    /// The maximum number of names that are sorted by insertion, which is the fastest method for a few names and for
    /// names that are already sorted.
    private static let insertionMax = 24

    @inline(__always)
    init(index: Int, tape: JSONTape) {
        self.index = UInt32(index)
        // An escape may encode a character beyond ASCII.
        let isASCII = tape.entries[index].traits.isDisjoint(with: [.nonASCII, .escaped])
        prefix = tape.withText(of: index) { text in
            if isASCII, text.count >= Self.prefixBytes {
                return UInt64(bigEndian: text.loadUnaligned(as: UInt64.self))
            }
            var prefix: UInt64 = 0
            for offset in 0..<Self.prefixBytes {
                prefix = prefix << 8 | (offset < text.count ? UInt64(Self.rank(text[offset])) : 0)
            }
            return prefix
        }
    }

    /// Appends the names of an object in canonical order. If a name occurs several times, only its last occurrence is
    /// appended.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - tape: The object's tape.
    ///   - dropping: Whether to omit names that start with an underscore.
    ///   - names: The array to which the names are appended.
    static func append(namesOf object: Int, in tape: JSONTape, dropping: Bool, to names: inout [JSONOrderedName]) {
        let start = names.count
        let end = Int(tape.entries[object].next)
        var name = object + 1
        while name < end {
            if !dropping || tape.keyFirstByte(name) != .underscore {
                names.append(JSONOrderedName(index: name, tape: tape))
            }
            name = Int(tape.entries[name + 1].next)
        }
        sort(&names, from: start, in: tape)
        removeReplacedNames(from: start, of: &names, in: tape)
    }

    private static func sort(_ names: inout [JSONOrderedName], from start: Int, in tape: JSONTape) {
        guard names.count - start <= insertionMax else {
            return names[start...].sort { first, second in
                let order = first.compare(with: second, in: tape)
                return order == 0 ? first.index < second.index : order < 0
            }
        }
        for end in stride(from: start + 1, to: names.count, by: 1) {
            let name = names[end]
            var position = end
            while position > start, names[position - 1].compare(with: name, in: tape) > 0 {
                names[position] = names[position - 1]
                position -= 1
            }
            if position < end { names[position] = name }
        }
    }

    /// Removes all except the last of adjacent equal names.
    private static func removeReplacedNames(from start: Int, of names: inout [JSONOrderedName], in tape: JSONTape) {
        var keptEnd = start
        for position in start..<names.count {
            let isLast = position + 1 == names.count
            if !isLast, names[position].compare(with: names[position + 1], in: tape) == 0 { continue }
            if keptEnd < position { names[keptEnd] = names[position] }
            keptEnd += 1
        }
        names.removeLast(names.count - keptEnd)
    }

    /// Returns a negative number when this name sorts first, a positive number when the other name sorts first, and
    /// zero when both are equal.
    @inline(__always)
    private func compare(with other: JSONOrderedName, in tape: JSONTape) -> Int {
        if prefix != other.prefix { return prefix < other.prefix ? -1 : 1 }
        return Self.compare(Int(index), Int(other.index), in: tape)
    }

    @inline(never)
    private static func compare(_ first: Int, _ second: Int, in tape: JSONTape) -> Int {
        tape.withText(of: first) { left in
            tape.withText(of: second) { right in
                for offset in 0..<min(left.count, right.count) where left[offset] != right[offset] {
                    return Int(rank(left[offset])) - Int(rank(right[offset]))
                }
                return left.count - right.count
            }
        }
    }

    /// Raises the lead bytes of U+E000 to U+FFFF above the lead bytes of four-byte sequences; all other bytes keep
    /// their order.
    @inline(__always)
    private static func rank(_ byte: UInt8) -> UInt8 {
        byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte
    }
}
