//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Ranges of an index's keys for one field. They contain the keys of all values that a selector can match.
package struct FieldRanges: Sendable {
    /// The ranges of the keys of the field's values.
    package var ranges: KeyRanges
    /// Whether every value in the ranges matches all conditions that the ranges were derived from.
    package var isExact: Bool
    /// The ranges for the elements of an array in this field. An array can match only if the key of one of its elements
    /// is in one of these ranges. The property is `nil` when no condition concerns elements.
    package var elements: KeyRanges?

    init(_ ranges: [KeyRange], isExact: Bool = false, elements: KeyRanges? = nil) {
        self.ranges = KeyRanges(ranges)
        self.isExact = isExact
        self.elements = elements
    }

    private func and(_ other: FieldRanges) -> FieldRanges {
        var combined = self
        // More ranges would not make the index faster, and it would cost time to intersect them with each further
        // condition.
        guard ranges.ranges.count + other.ranges.ranges.count <= SelectorLimits.rangesIntersectedMax else {
            combined.isExact = false
            return combined
        }
        combined.ranges = ranges.intersection(other.ranges)
        combined.isExact = isExact && other.isExact
        combined.elements = elements ?? other.elements
        return combined
    }

    /// Creates the union of the alternatives of an `$or`.
    private init(any all: [FieldRanges]) {
        // With several alternatives, there are no ranges for elements, because an array can match as a whole although
        // none of its elements is in a range.
        self.init(
            all.flatMap(\.ranges.ranges), isExact: all.allSatisfy(\.isExact),
            elements: all.count == 1 ? all[0].elements : nil)
    }
}

extension FieldRanges {
    /// The range of all existing values.
    private static let present = KeyRange.tags(CollationKey.tag(.null), CollationKey.end)
    private static let arrays = kind(.array)

    private static func kind(_ kind: JSONKind) -> KeyRange {
        .tags(CollationKey.tag(kind), CollationKey.tag(kind) + 1)
    }

    /// Derives the ranges of a field from a clause; `nil` when the clause does not restrict the field.
    init?(_ clause: Clause, of field: String) {
        switch clause {
        case .field(let path, let clause):
            guard path.text.isIdenticalText(to: field), let ranges = FieldRanges(ofValue: clause) else { return nil }
            self = ranges
        case .and(let clauses):
            let fieldRanges = clauses.compactMap { FieldRanges($0, of: field) }
            guard let first = fieldRanges.first else { return nil }
            self = fieldRanges.dropFirst().reduce(first) { $0.and($1) }
        case .or(let clauses):
            let fieldRanges = clauses.compactMap { FieldRanges($0, of: field) }
            guard !fieldRanges.isEmpty, fieldRanges.count == clauses.count else { return nil }
            self.init(any: fieldRanges)
        case .nor, .not, .elemMatch, .allMatch, .keyMapMatch, .condition, .text: return nil
        }
    }

    /// Derives ranges from a clause about the value itself; `nil` when the clause does not restrict it.
    private init?(ofValue clause: Clause) {
        switch clause {
        case .condition(let condition): self.init(condition)
        case .elemMatch(let element): self.init([Self.arrays], elements: Self(ofElement: element)?.ranges)
        case .allMatch: self.init([Self.arrays])
        case .keyMapMatch: self.init([Self.kind(.object)])
        case .not: self.init([Self.present])
        case .and, .or, .nor, .field, .text: return nil
        }
    }

    /// Derives ranges for an element itself from a clause below `$elemMatch`.
    private init?(ofElement clause: Clause) {
        switch clause {
        case .field(let path, let inner) where path.text.isEmpty:
            guard let ranges = FieldRanges(ofValue: inner) else { return nil }
            self = ranges
        default:
            guard let ranges = FieldRanges(clause, of: "") else { return nil }
            self = ranges
        }
    }

    private init(_ condition: Condition) {
        let argument = condition.argument
        let (first, end) = (CollationKey.tag(.null), CollationKey.end)
        switch condition.operator {
        case .equal: self.init([.point(argument.key)], isExact: true)
        case .notEqual:
            let point = KeyRange.point(argument.key)
            self.init([KeyRange([first], point.lower), KeyRange(point.upper, [end])], isExact: true)
        case .less: self.init([KeyRange([first], argument.key)], isExact: true)
        case .lessOrEqual: self.init([KeyRange([first], KeyRange.point(argument.key).upper)], isExact: true)
        case .greater: self.init([KeyRange(KeyRange.point(argument.key).upper, [end])], isExact: true)
        case .greaterOrEqual: self.init([KeyRange(argument.key, [end])], isExact: true)
        case .in: self.init(among: argument)
        default: self.init(loosely: condition)
        }
    }

    /// Creates the ranges of `$in`. If a value is an array, `$in` compares its elements, never the array itself.
    private init(among list: JSONValue) {
        let points = list.elements.map { KeyRange.point($0.key) }
        let scalars = points.filter { $0.lower.first != CollationKey.tag(.array) }
        self.init(scalars + [Self.arrays], elements: KeyRanges(points))
    }

    private init(loosely condition: Condition) {
        let argument = condition.argument
        switch condition.operator {
        case .exists where condition.isAbsence:
            self.init([.tags(CollationKey.missing, CollationKey.missing + 1)], isExact: true)
        case .exists: self.init([Self.present], isExact: true)
        case .type: self.init(Self.kinds(named: argument.stringValue ?? ""), isExact: true)
        case .mod: self.init([Self.kind(.integer)])
        case .regex: self.init([Self.kind(.string)])
        case .beginsWith: self.init([Self.strings(beginningWith: argument.stringValue ?? "")])
        case .all:
            // Ranges for one of the arguments are enough, because each candidate is tested again.
            self.init([Self.arrays], elements: argument.elements.first.map { KeyRanges([.point($0.key)]) })
        case .size: self.init([Self.arrays])
        case .geoWithin, .geoIntersects, .near: self.init([Self.arrays, Self.kind(.object)])
        default: self.init([Self.present])
        }
    }

    private static func kinds(named name: String) -> [KeyRange] {
        let kinds: [JSONKind] = [.null, .false, .true, .integer, .string, .array, .object]
        return kinds.filter { Condition.typeName($0).isIdenticalText(to: name) }.map(kind)
    }

    /// Returns a range that contains all strings with a prefix. The range ends after the prefix followed by U+FFFF,
    /// which sorts after every other character in CLDR's root collation. The range also contains some strings without
    /// the prefix. For `"to"`, it contains `"TO"`, which sorts directly after `"to"`.
    private static func strings(beginningWith prefix: String) -> KeyRange {
        KeyRange(JSONValue.string(prefix).key, KeyRange.point(JSONValue.string(prefix + "\u{FFFF}").key).upper)
    }
}

extension Condition {
    /// Whether the condition compares values, so that ``FieldRanges`` describes it exactly.
    var isComparison: Bool {
        switch `operator` {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}

extension JSONValue {
    fileprivate var key: [UInt8] {
        var key: [UInt8] = []
        CollationKey.append(self, to: &key)
        return key
    }
}
