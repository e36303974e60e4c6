//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSelector
import GodwitBase

/// The table of CLDR's root collation, which `Scripts/collation.py` writes and describes.
struct CollationTable: @unchecked Sendable {
    /// The process's table. Its bytes are constants of the program.
    static let root: CollationTable = {
        var size = 0
        return CollationTable(UnsafeRawBufferPointer(start: godwit_collation_table(&size), count: size))
    }()

    /// A sequence of elements in the table, at least one.
    struct Elements {
        let first: Int
        let count: Int
    }

    /// The entry of a code point.
    struct Entry {
        private let bits: UInt32

        fileprivate init(bits: UInt32) { self.bits = bits }

        /// Whether a contraction may begin with the code point.
        var beginsContraction: Bool { bits >> 31 != 0 }
        /// The number of elements plus 1; 0 if the elements follow from a rule, and ``ideograph`` for an ideograph.
        var kind: UInt32 { bits >> 24 & 0x7F }
        /// The index of the first element.
        var first: Int { Int(bits & 0xFF_FFFF) }
        /// The element of an ideograph.
        var ideographElement: CollationElement {
            CollationElement(bits: UInt64(0xFA00_0000 + (bits & 0xFF_FFFF) << 8) << 32 | CollationElement.commonWeights)
        }

        static let rule: UInt32 = 0
        static let ideograph: UInt32 = 0x7F
    }

    /// The version of the collation, as ICU numbers it.
    let version: [UInt8]
    private let compressedBytes: UnsafePointer<UInt8>
    private let elements: UnsafePointer<UInt64>
    private let contractions: UnsafeBufferPointer<UInt64>
    private let contractionElements: UnsafePointer<UInt32>
    private let blocks: UnsafePointer<UInt32>
    private let index: UnsafePointer<UInt16>
    /// The elements of the characters of ASCII, which have one each.
    private let ascii: [CollationElement]

    private static let format = 1
    private static let headerSize = 64
    private static let blockSize = 64
    /// The code points that the index has: the first planes, and the block of tags and variation selectors.
    private static let planesEnd: UInt32 = 0x34000
    private static let tags: UInt32 = 0xE0000
    private static let tagCount: UInt32 = 0x1000

    private init(_ bytes: UnsafeRawBufferPointer) {
        func number(_ position: Int) -> Int { Int(bytes.load(fromByteOffset: position * 4, as: UInt32.self)) }
        version = Array(bytes[4..<8])
        var offset = 24
        func part<Item>(_ count: Int, of _: Item.Type) -> UnsafeBufferPointer<Item> {
            let size = count * MemoryLayout<Item>.size
            precondition(offset + size <= bytes.count, "the table of the collation is shorter than it says")
            defer { offset += size }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size]).assumingMemoryBound(to: Item.self)
        }
        precondition(number(0) == Self.format, "the table of the collation has another format")
        compressedBytes = part(32, of: UInt8.self).baseAddress!
        offset = Self.headerSize
        elements = part(number(4), of: UInt64.self).baseAddress!
        contractions = part(number(5), of: UInt64.self)
        contractionElements = part(number(5), of: UInt32.self).baseAddress!
        blocks = part(number(3) * Self.blockSize, of: UInt32.self).baseAddress!
        index = part(number(2), of: UInt16.self).baseAddress!
        precondition(offset == bytes.count, "the table of the collation is longer than it says")
        let (elements, blocks, index) = (elements, blocks, index)
        ascii = (0..<128).map { point in
            let entry = Entry(bits: blocks[Int(index[point >> 6]) << 6 + point & 63])
            precondition(entry.kind == 1 || entry.kind == 2, "a character of ASCII has one element at most")
            return entry.kind == 1 ? .ignored : CollationElement(bits: elements[entry.first])
        }
    }

    /// Returns the element of a character of ASCII.
    @inline(__always)
    func element(ofASCII byte: UInt8) -> CollationElement { ascii[Int(byte)] }

    /// Returns the entry of a code point.
    @inline(__always)
    func entry(of point: UInt32) -> Entry {
        let block: UInt32
        if point < Self.planesEnd {
            block = point >> 6
        } else if point &- Self.tags < Self.tagCount {
            block = (Self.planesEnd + point - Self.tags) >> 6
        } else {
            return Entry(bits: 0)
        }
        return Entry(bits: blocks[Int(index[Int(block)]) << 6 + Int(point & 63)])
    }

    /// Returns an element by its index.
    @inline(__always)
    func element(_ index: Int) -> CollationElement { CollationElement(bits: elements[index]) }

    /// Whether a key has the first byte of primary weights only once for several characters in a row that share it.
    @inline(__always)
    func isCompressed(_ firstByte: UInt8) -> Bool { compressedBytes[Int(firstByte >> 3)] >> (firstByte & 7) & 1 != 0 }

    /// Returns the elements of a contraction; `nil` if the code points are none.
    func elements(of contraction: Contraction) -> Elements? {
        var (low, high) = (0, contractions.count)
        while low < high {
            let middle = (low + high) / 2
            if contractions[middle] == contraction.bits {
                let place = contractionElements[middle]
                return Elements(first: Int(place & 0xFF_FFFF), count: Int(place >> 24))
            }
            if contractions[middle] < contraction.bits { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

/// Code points that may have elements together: at most three.
struct Contraction {
    fileprivate private(set) var bits: UInt64
    private var nextShift: UInt64 = 21

    init(beginningWith point: UInt32) { bits = UInt64(point) << 42 }

    /// Returns the code points with a further one; `nil` if they would be too many. U+0000 is in no contraction.
    func with(_ point: UInt32) -> Contraction? {
        guard point != 0, bits & 0x1F_FFFF == 0 else { return nil }
        var longer = self
        longer.bits |= UInt64(point) << nextShift
        longer.nextShift = 0
        return longer
    }
}

/// The weights of a character, of a part of it or of a contraction. A weight of 0 is ignored.
struct CollationElement {
    private let bits: UInt64

    fileprivate init(bits: UInt64) { self.bits = bits }

    init(primary: UInt32) { bits = UInt64(primary) << 32 | Self.commonWeights }

    static let ignored = CollationElement(bits: 0)
    /// The weight of most characters on the second and the third level.
    static let commonWeight: UInt16 = 0x0500
    fileprivate static let commonWeights: UInt64 = 0x0500_0500

    /// The weight of the letter.
    var primary: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
    /// The weight of accents.
    var secondary: UInt16 { UInt16(truncatingIfNeeded: bits >> 16) }
    /// The weight of case and variants.
    var tertiary: UInt16 { UInt16(truncatingIfNeeded: bits) & 0x3F3F }
    /// Whether both lower levels have the common weight.
    var isCommon: Bool { UInt32(truncatingIfNeeded: bits) == UInt32(Self.commonWeights) }
}
