//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An entry of a tape, in sixteen bytes. The entry describes one value, or the name of one member.
@usableFromInline
struct JSONTapeEntry: Sendable {
    /// From the lowest bit: 4 bits for the kind, 2 for string traits, 1 for names, 25 for the number of children.
    @usableFromInline var tag: UInt32
    @usableFromInline var start: UInt32
    @usableFromInline var end: UInt32
    /// The index of the next sibling, which is the index after the subtree of this value.
    @usableFromInline var next: UInt32

    /// The largest number of children that an entry can store. If a container has at least this number of children,
    /// they are counted by iteration.
    static let countMax = 1 << 25 - 1
    private static let traitsShift: UInt32 = 4
    private static let nameBit: UInt32 = 1 << 6
    private static let countShift: UInt32 = 7

    @inline(__always)
    init(_ kind: JSONKind, start: Int, end: Int, next: Int, traits: JSONStringTraits = [], isName: Bool = false) {
        tag =
            UInt32(kind.rawValue) | UInt32(traits.rawValue) << Self.traitsShift | (isName ? Self.nameBit : 0)
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.next = UInt32(truncatingIfNeeded: next)
    }

    @usableFromInline
    var kind: JSONKind {
        @inline(__always) get { JSONKind(rawValue: UInt8(tag & 0xF)).unsafelyUnwrapped }
    }

    var traits: JSONStringTraits {
        @inline(__always) get { JSONStringTraits(rawValue: UInt8(tag >> Self.traitsShift & 3)) }
    }

    var isName: Bool {
        @inline(__always) get { tag & Self.nameBit != 0 }
    }

    var count: Int {
        @inline(__always) get { Int(tag >> Self.countShift) }
    }

    @inline(__always)
    mutating func setCount(_ count: UInt32) {
        tag |= min(count, UInt32(Self.countMax)) << Self.countShift
    }
}
