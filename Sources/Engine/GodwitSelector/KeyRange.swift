//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A half-open range of ``CollationKey``s: from `lower` up to but not including `upper`.
package struct KeyRange: Hashable, Sendable {
    /// The first key of the range.
    package var lower: [UInt8]
    /// The end of the range: the first key after it.
    package var upper: [UInt8]
    /// Whether all keys in the range belong to values that the collation treats as equal.
    package var isPoint = false

    /// Creates a range from a first key and the key after the last. It is empty if `upper` is not above `lower`.
    package init(_ lower: [UInt8], _ upper: [UInt8], isPoint: Bool = false) {
        self.lower = lower
        self.upper = upper
        self.isPoint = isPoint
    }

    /// Returns the range of all values that are equal to the value of a key.
    static func point(_ key: [UInt8]) -> KeyRange { KeyRange(key, CollationKey.end(ofPrefix: key), isPoint: true) }

    /// Returns the range of all keys whose tag is at least `lower` and less than `upper`.
    static func tags(_ lower: UInt8, _ upper: UInt8) -> KeyRange { KeyRange([lower], [upper]) }

    /// Whether the range can contain no key.
    package var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }
}

/// Ranges in ascending order that do not overlap.
package struct KeyRanges: Hashable, Sendable {
    /// The ranges in ascending order, without overlaps; empty for no keys.
    package private(set) var ranges: [KeyRange]

    /// Creates the union of ranges, which may overlap and be in any order.
    package init(_ ranges: [KeyRange]) {
        guard ranges.count > 1 else {
            self.ranges = ranges.first?.isEmpty == true ? [] : ranges
            return
        }
        self.ranges = []
        let sorted = ranges.filter { !$0.isEmpty }.sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
        for range in sorted {
            guard let last = self.ranges.last, range.lower.lexicographicallyPrecedes(last.upper) else {
                self.ranges.append(range)
                continue
            }
            let upper = last.upper.lexicographicallyPrecedes(range.upper) ? range.upper : last.upper
            self.ranges[self.ranges.count - 1] = KeyRange(last.lower, upper, isPoint: last == range && last.isPoint)
        }
    }

    /// Whether each range is a point.
    package var arePoints: Bool { ranges.allSatisfy(\.isPoint) }

    /// Returns the keys that are in both sets of ranges.
    package func intersection(_ other: KeyRanges) -> KeyRanges {
        var common: [KeyRange] = []
        var (index, otherIndex) = (0, 0)
        while index < ranges.count, otherIndex < other.ranges.count {
            let (left, right) = (ranges[index], other.ranges[otherIndex])
            let lower = left.lower.lexicographicallyPrecedes(right.lower) ? right.lower : left.lower
            let isLeftShorter = left.upper.lexicographicallyPrecedes(right.upper)
            let range = KeyRange(
                lower, isLeftShorter ? left.upper : right.upper, isPoint: left.isPoint || right.isPoint)
            if !range.isEmpty { common.append(range) }
            if isLeftShorter { index += 1 } else { otherIndex += 1 }
        }
        return KeyRanges(common)
    }
}

extension CollationKey {
    /// The keys of all arrays.
    package static let arrays = KeyRanges([KeyRange([tag(.array)], [tag(.array) + 1])])

    /// The keys of missing fields, of unreachable fields, and of all values except arrays.
    package static let allButArrays = KeyRanges([KeyRange([0], [tag(.array)]), KeyRange([tag(.array) + 1], [end])])
}
