//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore

/// An access path that finds documents by ranges of an index of the type `json`.
struct JSONAccess: Sendable {
    private let completeIndex: CompleteIndex
    /// The ranges of the entries to read, in ascending order.
    private(set) var ranges: [KeyRange] = []
    /// The number of leading index fields that the selector restricts.
    private(set) var restrictedFields = 0
    /// The fields for which the selector permits one value only.
    private(set) var constantFields: Set<ExactText> = []
    /// Whether every entry in the ranges matches the selector.
    private(set) var isExact = false
    /// Whether a document may be found several times, by several elements of its arrays.
    private(set) var mayRepeat = false
    /// Whether the selector has a condition on a field's elements.
    private(set) var hasElements = false
    /// Whether all entries have the same key, which is the lower bound of their only range.
    private(set) var hasOneKey = false
    /// Whether the ranges are read in descending order.
    var isBackward = false

    var index: IndexDescription { completeIndex.index }
    var definition: JSONIndexDefinition { completeIndex.definition }

    /// - Parameter usesElements: Whether arrays may be found by their elements. If `true`, the documents are not found
    ///   in the order of the index.
    init(_ index: CompleteIndex, for selector: Selector, usesElements: Bool) {
        completeIndex = index
        // The common prefixes of the keys, without the first byte.
        var prefixes: [[UInt8]] = [[]]
        for (fieldIndex, field) in definition.fields.enumerated() {
            guard let fieldRanges = selector.ranges(of: field.name) else { break }
            hasElements = hasElements || fieldRanges.elements != nil
            if usesElements, restrict(fieldIndex, to: fieldRanges, behind: prefixes) { return }
            let parts = inDirection(fieldRanges.ranges, fieldIndex)
            guard prefixes.count * parts.count <= QueryLimits.rangesMax else { break }
            restrictedFields += 1
            if fieldRanges.ranges.arePoints, parts.count == 1 { constantFields.insert(ExactText(field.name)) }
            guard fieldRanges.ranges.arePoints else {
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

    /// Restricts a field to ranges of elements. Returns `false` if the selector has no condition on the field's
    /// elements, if the selector excludes arrays, or if too many ranges would be needed.
    private mutating func restrict(_ fieldIndex: Int, to fieldRanges: FieldRanges, behind prefixes: [[UInt8]]) -> Bool {
        guard let elements = fieldRanges.elements, !fieldRanges.ranges.intersection(.arrays).ranges.isEmpty else {
            return false
        }
        let scalars = inDirection(fieldRanges.ranges.intersection(.withoutArrays), fieldIndex)
        let elementParts = inDirection(elements, fieldIndex) + inDirection(.tooMany, fieldIndex)
        guard prefixes.count * (scalars.count + elementParts.count) <= QueryLimits.rangesMax else { return false }
        ranges =
            Self.ranges(in: JSONIndexEntry.wholeSpace, prefixes, scalars)
            + Self.ranges(in: JSONIndexEntry.elementSpace(fieldIndex), prefixes, elementParts)
        restrictedFields = fieldIndex + 1
        mayRepeat = elements.ranges.count > 1 || !elements.arePoints
        return true
    }

    private mutating func decideExactness(for selector: Selector) {
        invariant(restrictedFields <= definition.fields.count, "only fields of the index are restricted")
        invariant(constantFields.count <= restrictedFields, "a field with one value is restricted")
        invariant(ranges.count <= QueryLimits.rangesMax, "an access path keeps the limit of its ranges")
        isExact = selector.isCovered(by: definition.fields.prefix(restrictedFields).map(\.name))
    }

    /// Returns a field's ranges in the encoding of the index, in ascending order. The index inverts the bytes of a
    /// descending field.
    private func inDirection(_ keyRanges: KeyRanges, _ fieldIndex: Int) -> [KeyRange] {
        guard definition.fields[fieldIndex].isDescending else { return keyRanges.ranges }
        return keyRanges.ranges.reversed().map { range in
            if range.isPoint {
                let key = range.lower.map(~)
                return KeyRange(key, CollationKey.end(ofPrefix: key), isPoint: true)
            }
            return KeyRange(
                CollationKey.end(ofPrefix: range.upper.map(~)), CollationKey.end(ofPrefix: range.lower.map(~)))
        }
    }

    private static func ranges(in firstByte: UInt8, _ prefixes: [[UInt8]], _ parts: [KeyRange]) -> [KeyRange] {
        let ranges = prefixes.flatMap { prefix in
            parts.map { KeyRange([firstByte] + prefix + $0.lower, [firstByte] + prefix + $0.upper) }
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
    /// Finds the reading direction in which the entries have the order of a sort.
    ///
    /// - Returns: Whether the entries must be read backward; `nil` when neither direction has the order.
    func direction(for sort: [QueryField]) -> Bool? {
        var isBackward: Bool?
        var fieldIndex = 0
        for field in sort {
            while fieldIndex < definition.fields.count,
                !definition.fields[fieldIndex].name.isIdenticalText(to: field.name),
                constantFields.contains(ExactText(definition.fields[fieldIndex].name))
            { fieldIndex += 1 }
            let flips: Bool
            if fieldIndex < definition.fields.count, definition.fields[fieldIndex].name.isIdenticalText(to: field.name)
            {
                flips = definition.fields[fieldIndex].isDescending != field.isDescending
                fieldIndex += 1
            } else if fieldIndex == definition.fields.count, field.name == "_id" {
                // Entries with equal keys are ordered by their ids.
                flips = field.isDescending
            } else {
                guard constantFields.contains(ExactText(field.name)) else { return nil }
                continue
            }
            if constantFields.contains(ExactText(field.name)) { continue }
            guard isBackward == nil || isBackward == flips else { return nil }
            isBackward = flips
        }
        return isBackward ?? sort.first?.isDescending ?? false
    }
}
