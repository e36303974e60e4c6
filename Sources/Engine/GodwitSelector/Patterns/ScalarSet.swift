//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A set of characters: code points, or bytes in a pattern of bytes.
struct ScalarSet: Sendable {
    /// Disjoint ranges in ascending order that do not touch.
    private(set) var ranges: [ClosedRange<UInt32>]

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = []
        self.ranges.reserveCapacity(ranges.count)
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
    }

    /// Adds a range that begins at or after the begin of the last one.
    private mutating func append(_ range: ClosedRange<UInt32>) {
        invariant(ranges.last.map { $0.lowerBound <= range.lowerBound } ?? true, "ranges of characters ascend")
        guard let last = ranges.last, range.lowerBound <= last.upperBound || range.lowerBound - last.upperBound == 1
        else { return ranges.append(range) }
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
    }

    func contains(_ character: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < character { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(character)
    }

    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

    /// The characters of `all` that are not in the set.
    func inverted(in all: ClosedRange<UInt32>) -> ScalarSet {
        var others: [ClosedRange<UInt32>] = []
        var next = all.lowerBound
        for range in ranges {
            guard range.lowerBound <= all.upperBound else { break }
            if range.lowerBound > next { others.append(next...range.lowerBound - 1) }
            guard range.upperBound < all.upperBound else { return ScalarSet(others) }
            next = range.upperBound + 1
        }
        return ScalarSet(others + [next...all.upperBound])
    }
}

extension ScalarSet {
    /// A pattern of one byte of the set.
    var nodeOfBytes: PatternNode {
        var bytes = ByteSet()
        for range in ranges {
            for character in range.clamped(to: 0...0xFF) where range.contains(character) {
                bytes.insert(UInt8(character))
            }
        }
        return .byte(bytes)
    }

    /// A pattern of the UTF-8 of one character of the set. Texts are valid UTF-8, so surrogates do not matter.
    var nodeOfUTF8: PatternNode {
        var alternatives: [PatternNode] = []
        for range in ranges {
            for (first, last) in [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF)] as [(UInt32, UInt32)]
            {
                let (low, high) = (max(first, range.lowerBound), min(last, range.upperBound))
                if low <= high { Self.add(Self.bytes(of: low), Self.bytes(of: high), to: &alternatives) }
            }
        }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    /// The bytes of a character, also of a surrogate.
    private static func bytes(of character: UInt32) -> [UInt8] {
        func trailing(_ shift: UInt32) -> UInt8 { UInt8(0x80 | character >> shift & 0x3F) }
        switch character {
        case ..<0x80: return [UInt8(character)]
        case ..<0x800: return [UInt8(0xC0 | character >> 6), trailing(0)]
        case ..<0x10000: return [UInt8(0xE0 | character >> 12), trailing(6), trailing(0)]
        default: return [UInt8(0xF0 | character >> 18), trailing(12), trailing(6), trailing(0)]
        }
    }

    /// Adds the sequences of bytes from `low` to `high`, which have the same length.
    private static func add(_ low: [UInt8], _ high: [UInt8], to alternatives: inout [PatternNode]) {
        guard let divided = low.indices.first(where: { low[$0] != high[$0] }) else {
            return alternatives.append(.sequence(low.map { .byte(ByteSet($0...$0)) }))
        }
        let after = divided + 1
        let trailing = low.count - after
        let isWhole = low[after...].allSatisfy { $0 == 0x80 } && high[after...].allSatisfy { $0 == 0xBF }
        guard !isWhole else {
            let sets = low[..<divided].map { ByteSet($0...$0) } + [ByteSet(low[divided]...high[divided])]
            return alternatives.append(
                .sequence((sets + Array(repeating: ByteSet(0x80...0xBF), count: trailing)).map { .byte($0) }))
        }
        let highest = Array(low[...divided]) + Array(repeating: 0xBF, count: trailing)
        add(low, highest, to: &alternatives)
        if high[divided] - low[divided] > 1 {
            add(
                Array(low[..<divided]) + [low[divided] + 1] + Array(repeating: 0x80, count: trailing),
                Array(low[..<divided]) + [high[divided] - 1] + Array(repeating: 0xBF, count: trailing),
                to: &alternatives)
        }
        add(Array(high[...divided]) + Array(repeating: 0x80, count: trailing), high, to: &alternatives)
    }
}
