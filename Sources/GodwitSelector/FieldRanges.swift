//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// What a selector says of one field, as ranges of an index over it.
package struct FieldRanges: Sendable {
    /// Where the keys of the field's values lie.
    package var ranges: KeyRanges
    /// Whether each value in the ranges meets all that was read here.
    package var isExact: Bool
    /// Where one element's key must lie, if the value is an array; `nil` where elements are not asked for.
    package var elements: KeyRanges?

    init(_ ranges: [KeyRange], isExact: Bool = false, elements: KeyRanges? = nil) {
        self.ranges = KeyRanges(ranges)
        self.isExact = isExact
        self.elements = elements
    }

    private func and(_ other: FieldRanges) -> FieldRanges {
        var both = self
        // More are of no use to an index, and each further condition would go through all of them again.
        guard ranges.ranges.count + other.ranges.ranges.count <= SelectorLimits.rangesIntersectedMax else {
            both.isExact = false
            return both
        }
        both.ranges = ranges.intersection(other.ranges)
        both.isExact = isExact && other.isExact
        both.elements = elements ?? other.elements
        return both
    }

    /// What several say of which one must be true.
    private init(any all: [FieldRanges]) {
        // An array may come by the elements of one and by the whole of another.
        self.init(
            all.flatMap(\.ranges.ranges), isExact: all.allSatisfy(\.isExact),
            elements: all.count == 1 ? all[0].elements : nil)
    }
}

extension FieldRanges {
    /// Any value that is there.
    private static let present = KeyRange.tags(CollationKey.tag(.null), CollationKey.end)
    private static let arrays = kind(.array)

    private static func kind(_ kind: JSONKind) -> KeyRange {
        .tags(CollationKey.tag(kind), CollationKey.tag(kind) + 1)
    }

    /// What a clause says of a field; `nil` when it says nothing.
    init?(_ clause: Clause, of field: String) {
        switch clause {
        case .field(let path, let clause):
            guard path.text == field, let ranges = FieldRanges(ofValue: clause) else { return nil }
            self = ranges
        case .and(let clauses):
            let known = clauses.compactMap { FieldRanges($0, of: field) }
            guard let first = known.first else { return nil }
            self = known.dropFirst().reduce(first) { $0.and($1) }
        case .or(let clauses):
            let known = clauses.compactMap { FieldRanges($0, of: field) }
            guard !known.isEmpty, known.count == clauses.count else { return nil }
            self.init(any: known)
        case .nor, .not, .elemMatch, .allMatch, .keyMapMatch, .condition, .text: return nil
        }
    }

    /// What a clause says of the value that it is about.
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

    /// What a clause below `$elemMatch` says of an element as a whole.
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

    /// Of an array its elements are looked up, never the array itself.
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
            // One of them is as good as all, since what is found is looked at again.
            self.init([Self.arrays], elements: argument.elements.first.map { KeyRanges([.point($0.key)]) })
        case .size: self.init([Self.arrays])
        case .geoWithin, .geoIntersects, .near: self.init([Self.arrays, Self.kind(.object)])
        default: self.init([Self.present])
        }
    }

    private static func kinds(named name: String) -> [KeyRange] {
        let kinds: [JSONKind] = [.null, .false, .true, .integer, .string, .array, .object]
        return kinds.filter { Condition.typeName($0) == name }.map(kind)
    }

    /// U+FFFF sorts behind every other character in CLDR's root. Not exact: `"TO"` sorts between `"to"` and `"tp"`.
    private static func strings(beginningWith prefix: String) -> KeyRange {
        KeyRange(JSONValue.string(prefix).key, KeyRange.point(JSONValue.string(prefix + "\u{FFFF}").key).upper)
    }
}

extension Condition {
    /// Whether the values that meet it are those of exact ranges, as ``FieldRanges`` has them.
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
