//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// What can be read off a selector to plan how documents are found.
extension Selector {
    /// Where the values of a field lie in an index; `nil` when the selector says nothing of it that helps.
    ///
    /// Nothing is ever said of `_id`, whose values are compared by their bytes: see ``idConditions``.
    package func ranges(of field: String) -> FieldRanges? {
        guard field != "_id", let clause else { return nil }
        return FieldRanges(clause, of: field)
    }

    /// Whether the ranges of some fields say all that the selector says, so that what lies in them need not be looked at.
    package func isCovered(by fields: [String]) -> Bool {
        conjuncts.allSatisfy { conjunct in
            if case .field(let path, .condition(let condition)) = conjunct, condition.isComparison {
                return fields.contains(path.text)
            }
            let own = conjunct.fields
            guard own.count == 1, let field = own.first, fields.contains(field), !conjunct.usesText else {
                return false
            }
            return conjunct.isAbout(field) && FieldRanges(conjunct, of: field)?.isExact == true
        }
    }

    /// The selectors of which one must be met, where the selector has an `$or` among what must all be true; each with the
    /// rest of the selector. Empty when there is none, or one of more than `countMax` sides.
    package func alternatives(upTo countMax: Int) -> [Selector] {
        let conjuncts = conjuncts
        for (position, conjunct) in conjuncts.enumerated() {
            guard case .or(let branches) = conjunct, !branches.isEmpty else { continue }
            guard branches.count <= countMax else { return [] }
            let rest = conjuncts[..<position] + conjuncts[(position + 1)...]
            return branches.map { Selector(clause: rest.isEmpty ? $0 : .and(Array(rest) + [$0])) }
        }
        return []
    }

    /// Whether every document that meets this selector meets the other one too, as far as can be seen: each of the
    /// other's conditions must stand in this one.
    package func implies(_ other: Selector) -> Bool {
        let own = Set(conjuncts.map { $0.json })
        return other.conjuncts.allSatisfy { own.contains($0.json) }
    }

    /// What the selector says of `_id`, as far as ranges of ids can say it.
    package var idConditions: [IDCondition] {
        conjuncts.compactMap { conjunct in
            guard case .field(let path, .condition(let condition)) = conjunct, path.text == "_id" else { return nil }
            return IDCondition(condition)
        }
    }

    /// The argument of the one `$text` that must be true; `nil` when there is none.
    package var textSearch: JSONValue? {
        guard usesText else { return nil }
        for case .text(let argument) in conjuncts { return argument }
        return nil
    }

    /// What must be true of geometries, by their paths.
    package var places: [(path: String, condition: any GeoCondition)] {
        guard usesPlaces else { return [] }
        return conjuncts.compactMap { conjunct in
            guard case .field(let path, .condition(let condition)) = conjunct, let position = condition.position else {
                return nil
            }
            return (path.text, position)
        }
    }

    /// Whether a condition of ``places`` is all that it says.
    package var isOnePlace: Bool { conjuncts.count == 1 && places.count == 1 }

    /// The arguments of all `$text`.
    package var textSearches: [JSONValue] { usesText ? clause?.textSearches ?? [] : [] }
}

/// What a selector says of `_id`.
package enum IDCondition: Sendable {
    case equal(String)
    case among([String])
    case above(String, included: Bool)
    case below(String, included: Bool)
    case beginning(with: String)

    init?(_ condition: Condition) {
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
        var found: [JSONValue] = []
        forEach { if case .text(let argument) = $0 { found.append(argument) } }
        return found
    }

    /// Whether nothing of the clause stands outside of a condition on a field: a combination without one is about the
    /// whole document.
    fileprivate func isAbout(_ field: String) -> Bool {
        switch self {
        case .field(let path, _): path.text == field
        case .and(let clauses), .or(let clauses): !clauses.isEmpty && clauses.allSatisfy { $0.isAbout(field) }
        case .nor, .not, .elemMatch, .allMatch, .keyMapMatch, .condition, .text: false
        }
    }
}

extension Selector {
    /// Whether a condition is about the document as a whole, with all its members.
    package var isAboutWholeDocument: Bool { clause?.isAboutWholeDocument ?? false }

    /// Whether a document's body is enough to answer, without the members that the store adds.
    package var isAboutBody: Bool {
        !isAboutWholeDocument && !fields.contains { FieldPath($0).steps.first?.utf8.first == UInt8(ascii: "_") }
    }
}

extension Clause {
    fileprivate var isAboutWholeDocument: Bool {
        switch self {
        case .field(let path, _): path.text.isEmpty
        case .condition, .elemMatch, .allMatch, .keyMapMatch: true
        case .text: false
        case .and, .or, .nor, .not: children.contains(where: \.isAboutWholeDocument)
        }
    }
}

extension Selector {
    /// The selector with every `$text` taken for true or false.
    package func resolvingText(to value: Bool) -> Selector {
        usesText ? Selector(clause: clause?.resolvingText(to: value)) : self
    }
}

extension Clause {
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
