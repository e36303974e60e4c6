//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// Information about a selector for planning a query.
extension Selector {
    /// Returns the key ranges of a field's values in an index; `nil` when the selector does not restrict the field.
    ///
    /// The result is always `nil` for `_id`, because its values are compared by their bytes: see ``idConditions``.
    package func ranges(of field: String) -> FieldRanges? {
        guard field != "_id", let clause else { return nil }
        return FieldRanges(clause, of: field)
    }

    /// Whether the ranges of the given fields describe the complete selector, so that rows in them need no further
    /// test.
    package func isCovered(by fields: [String]) -> Bool {
        conjuncts.allSatisfy { conjunct in
            if case .field(let path, .condition(let condition)) = conjunct, condition.isComparison {
                return fields.contains { $0.isIdenticalText(to: path.text) }
            }
            let testedFields = conjunct.fields
            guard testedFields.count == 1, let field = testedFields.first?.text,
                fields.contains(where: { $0.isIdenticalText(to: field) }), !conjunct.usesText
            else { return false }
            return conjunct.isAbout(field) && FieldRanges(conjunct, of: field)?.isExact == true
        }
    }

    /// Returns the branches of the selector's first top-level `$or` that is not empty, each combined with the
    /// selector's other conjuncts. The result is empty when the selector has no such `$or`, or when that `$or` has more
    /// than `countMax` branches.
    package func alternatives(upTo countMax: Int) -> [Selector] {
        let conjuncts = conjuncts
        for (index, conjunct) in conjuncts.enumerated() {
            guard case .or(let branches) = conjunct, !branches.isEmpty else { continue }
            guard branches.count <= countMax else { return [] }
            let rest = conjuncts[..<index] + conjuncts[(index + 1)...]
            return branches.map { Selector(clause: rest.isEmpty ? $0 : .and(Array(rest) + [$0])) }
        }
        return []
    }

    /// Whether every document that matches this selector certainly also matches the other selector. Only identical
    /// conjuncts are recognized. Therefore, the result can be `false` for a selector that implies the other selector in
    /// another way.
    package func implies(_ other: Selector) -> Bool {
        let ownConjuncts = Set(conjuncts.map { $0.json })
        return other.conjuncts.allSatisfy { ownConjuncts.contains($0.json) }
    }

    /// The selector's conjuncts on `_id` that ranges of ids can express. An `$or` of ids is such a conjunct, too.
    package var idConditions: [IDCondition] {
        conjuncts.compactMap { conjunct in
            guard case .or(let branches) = conjunct else { return IDCondition(conjunct) }
            var ids: [String] = []
            for branch in branches {
                guard let points = IDCondition(branch)?.points else { return nil }
                ids += points
            }
            return branches.isEmpty ? nil : .among(ids)
        }
    }

    /// The argument of the first `$text` among the conjuncts; `nil` when no conjunct is a `$text`.
    package var textSearch: JSONValue? {
        guard usesText else { return nil }
        for case .text(let argument) in conjuncts { return argument }
        return nil
    }

    /// The geospatial conditions among the conjuncts, with the paths of their fields.
    package var places: [(path: String, condition: any GeoCondition)] {
        guard usesGeoConditions else { return [] }
        return conjuncts.compactMap { conjunct in
            guard case .field(let path, .condition(let condition)) = conjunct,
                let geoCondition = condition.geoCondition
            else {
                return nil
            }
            return (path.text, geoCondition)
        }
    }

    /// Whether a geospatial condition is the selector's only conjunct.
    package var isSingleGeoCondition: Bool { conjuncts.count == 1 && places.count == 1 }

    /// Returns an equal selector in which the `$text` operators of an `$and` or of an `$or` are one operator. Its argument
    /// is an object with the member `$and` or `$or`, whose elements are arguments. Such an operator cannot be parsed.
    package func joiningTexts() -> Selector { usesText ? Selector(clause: clause?.joiningTexts()) : self }

    /// The arguments of all `$text` operators.
    package var textSearches: [JSONValue] { usesText ? clause?.textSearches ?? [] : [] }
}

/// A condition on `_id` that a range of ids can express.
package enum IDCondition: Sendable {
    case equal(String)
    case among([String])
    case above(String, included: Bool)
    case below(String, included: Bool)
    case beginning(with: String)

    /// The only ids that the condition permits; `nil` for a condition on a range of ids.
    package var points: [String]? {
        switch self {
        case .equal(let id): [id]
        case .among(let ids): ids
        case .above, .below, .beginning: nil
        }
    }

    /// Returns the condition of a clause on `_id`; `nil` for another clause.
    init?(_ clause: Clause) {
        guard case .field(let path, .condition(let condition)) = clause, path.text == "_id" else { return nil }
        self.init(condition)
    }

    private init?(_ condition: Condition) {
        if condition.operator == .in {
            self = .among(condition.argument.elements.compactMap(\.stringValue))
            return
        }
        guard let text = condition.argument.stringValue else { return nil }
        switch condition.operator {
        case .equal: self = .equal(text)
        case .greater: self = .above(text, included: false)
        case .greaterOrEqual: self = .above(text, included: true)
        case .less: self = .below(text, included: false)
        case .lessOrEqual: self = .below(text, included: true)
        case .beginsWith: self = .beginning(with: text)
        default: return nil
        }
    }
}

extension Clause {
    fileprivate var textSearches: [JSONValue] {
        var arguments: [JSONValue] = []
        forEach { if case .text(let argument) = $0 { arguments.append(argument) } }
        return arguments
    }

    /// Whether the clause consists of conditions on one field only. A combination that contains a condition without a
    /// field is about the complete document.
    fileprivate func isAbout(_ field: String) -> Bool {
        switch self {
        case .field(let path, _): path.text.isIdenticalText(to: field)
        case .and(let clauses), .or(let clauses): !clauses.isEmpty && clauses.allSatisfy { $0.isAbout(field) }
        case .nor, .not, .elemMatch, .allMatch, .keyMapMatch, .condition, .text: false
        }
    }
}

extension Selector {
    /// Whether a condition tests the complete document, with all its members.
    package var appliesToDocument: Bool { clause?.appliesToDocument ?? false }

    /// Whether the selector can be tested with the document's body alone, without the members that the store adds.
    package var isAboutBody: Bool {
        !appliesToDocument && !fields.contains { FieldPath($0.text).steps.first?.utf8.first == UInt8(ascii: "_") }
    }
}

extension Clause {
    fileprivate var appliesToDocument: Bool {
        switch self {
        case .field(let path, _): path.text.isEmpty
        case .condition, .elemMatch, .allMatch, .keyMapMatch: true
        case .text: false
        case .and, .or, .nor, .not: children.contains(where: \.appliesToDocument)
        }
    }
}

extension Selector {
    /// Returns the selector with every `$text` replaced by true or false.
    package func resolvingText(to value: Bool) -> Selector {
        usesText ? Selector(clause: clause?.resolvingText(to: value)) : self
    }
}

extension Clause {
    fileprivate func joiningTexts() -> Clause {
        switch self {
        case .and: Self.joined(conjuncts, "$and") { .and($0) }
        case .or(let clauses): Self.joined(clauses, "$or") { .or($0) }
        default: self
        }
    }

    private static func joined(_ clauses: [Clause], _ name: String, _ combined: ([Clause]) -> Clause) -> Clause {
        var (texts, others): ([JSONValue], [Clause]) = ([], [])
        for clause in clauses.map({ $0.joiningTexts() }) {
            if case .text(let argument) = clause { texts.append(argument) } else { others.append(clause) }
        }
        guard let first = texts.first else { return combined(others) }
        let text = Clause.text(texts.count > 1 ? .object(JSONObject([(name, .array(texts))])) : first)
        return others.isEmpty && !clauses.isEmpty ? text : combined(others + [text])
    }

    fileprivate func resolvingText(to value: Bool) -> Clause {
        switch self {
        case .text: value ? .and([]) : .not(.and([]))
        case .and(let clauses): .and(clauses.map { $0.resolvingText(to: value) })
        case .or(let clauses): .or(clauses.map { $0.resolvingText(to: value) })
        case .nor(let clauses): .nor(clauses.map { $0.resolvingText(to: value) })
        case .not(let clause): .not(clause.resolvingText(to: value))
        case .field, .elemMatch, .allMatch, .keyMapMatch, .condition: self
        }
    }
}
