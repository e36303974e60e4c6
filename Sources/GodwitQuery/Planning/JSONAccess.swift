//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSelector
import GodwitStore

/// An access to documents by ranges of an index of the type `json`.
struct JSONAccess: Sendable {
    private let known: CompleteIndex
    /// The ranges of the entries to read, in ascending order.
    private(set) var ranges: [KeyRange] = []
    /// The number of leading index fields that the selector restricts.
    private(set) var restrictedFields = 0
    /// The fields for which the selector permits one value only.
    private(set) var constantFields: [String] = []
    /// Whether every entry in the ranges matches the selector.
    private(set) var isExact = false
    /// Whether a document may be found by several of its elements.
    private(set) var mayRepeat = false
    /// Whether the selector has a condition on a field's elements.
    private(set) var hasElements = false
    /// Whether all entries have the same key, which is the lower bound of their only range.
    private(set) var hasOneKey = false
    /// Whether the ranges are read in descending order.
    var isBackward = false

    var index: IndexDescription { known.index }
    var definition: JSONIndexDefinition { known.definition }

    /// - Parameter usesElements: Whether arrays may be found by their elements. The entries are then not in the order
    ///   of the index.
    init(_ index: CompleteIndex, for selector: Selector, usesElements: Bool) {
        known = index
        // The common prefixes of the keys, without the first byte.
        var prefixes: [[UInt8]] = [[]]
        for (position, field) in definition.fields.enumerated() {
            guard let known = selector.ranges(of: field.name) else { break }
            hasElements = hasElements || known.elements != nil
            if usesElements, restrict(position, to: known, behind: prefixes) { return }
            let parts = directed(known.ranges, position)
            guard prefixes.count * parts.count <= QueryLimits.rangesMax else { break }
            restrictedFields += 1
            if known.ranges.arePoints, parts.count == 1 { constantFields.append(field.name) }
            guard known.ranges.arePoints else {
                ranges = Self.ranges(in: JSONIndexEntry.wholeSpace, prefixes, parts)
                decideExactness(for: selector)
                return
            }
            if prefixes.count == 1, parts.count == 1 {
                prefixes[0] += parts[0].lower
            } else {
                prefixes = prefixes.flatMap { prefix in parts.map { prefix + $0.lower } }
            }
        }
        hasOneKey = prefixes.count == 1 && constantFields.count == definition.fields.count
        ranges = prefixes.map { prefix in
            let key = [JSONIndexEntry.wholeSpace] + prefix
            return KeyRange(key, CollationKey.end(ofPrefix: key))
        }
        decideExactness(for: selector)
    }

    /// Restricts a field to ranges of elements. Returns `false` if the selector has no condition on its elements,
    /// excludes arrays, or would need too many ranges.
    private mutating func restrict(_ position: Int, to known: FieldRanges, behind prefixes: [[UInt8]]) -> Bool {
        guard let elements = known.elements, !known.ranges.intersection(.arrays).ranges.isEmpty else { return false }
        let scalars = directed(known.ranges.intersection(.withoutArrays), position)
        let found = directed(elements, position) + directed(.tooMany, position)
        guard prefixes.count * (scalars.count + found.count) <= QueryLimits.rangesMax else { return false }
        ranges =
            Self.ranges(in: JSONIndexEntry.wholeSpace, prefixes, scalars)
            + Self.ranges(in: JSONIndexEntry.elementSpace(position), prefixes, found)
        restrictedFields = position + 1
        mayRepeat = elements.ranges.count > 1 || !elements.arePoints
        return true
    }

    private mutating func decideExactness(for selector: Selector) {
        isExact = selector.isCovered(by: definition.fields.prefix(restrictedFields).map(\.name))
    }

    /// Returns a field's ranges in the encoding of the index, in ascending order.
    private func directed(_ known: KeyRanges, _ position: Int) -> [KeyRange] {
        guard definition.fields[position].isDescending else { return known.ranges }
        return known.ranges.reversed().map { range in
            if range.isPoint {
                let key = range.lower.map(~)
                return KeyRange(key, CollationKey.end(ofPrefix: key), isPoint: true)
            }
            return KeyRange(
                CollationKey.end(ofPrefix: range.upper.map(~)), CollationKey.end(ofPrefix: range.lower.map(~)))
        }
    }

    private static func ranges(in space: UInt8, _ prefixes: [[UInt8]], _ parts: [KeyRange]) -> [KeyRange] {
        let ranges = prefixes.flatMap { prefix in
            parts.map { KeyRange([space] + prefix + $0.lower, [space] + prefix + $0.upper) }
        }
        return KeyRanges(ranges).ranges
    }
}

extension KeyRanges {
    fileprivate static let arrays = CollationKey.arrays
    fileprivate static let withoutArrays = CollationKey.allButArrays
    fileprivate static let tooMany = KeyRanges([KeyRange([CollationKey.tooMany], [CollationKey.tooMany + 1])])
}

// MARK: Order

extension JSONAccess {
    /// Returns the direction in which the entries have an order.
    ///
    /// - Returns: Whether the entries must be read backward; `nil` when neither direction has the order.
    func direction(for sort: [QueryField]) -> Bool? {
        var isBackward: Bool?
        var position = 0
        for field in sort {
            while position < definition.fields.count, definition.fields[position].name != field.name,
                constantFields.contains(definition.fields[position].name)
            { position += 1 }
            let flips: Bool
            if position < definition.fields.count, definition.fields[position].name == field.name {
                flips = definition.fields[position].isDescending != field.isDescending
                position += 1
            } else if position == definition.fields.count, field.name == "_id" {
                // Entries with equal keys are ordered by their ids.
                flips = field.isDescending
            } else {
                guard constantFields.contains(field.name) else { return nil }
                continue
            }
            if constantFields.contains(field.name) { continue }
            guard isBackward == nil || isBackward == flips else { return nil }
            isBackward = flips
        }
        return isBackward ?? sort.first?.isDescending ?? false
    }
}
