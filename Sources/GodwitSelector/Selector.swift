//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitThreads

/// A Mango selector, in CouchDB's normal form.
///
/// ```swift
/// let selector = try Selector(parsing: ["species": "Limosa lapponica", "rings": ["$elemMatch": ["$gte": 10]]])
/// selector.normalized  // {"$and":[{"species":{"$eq":"Limosa lapponica"}},{"rings":{"$elemMatch":{"":{"$gte":10}}}}]}
/// selector.matches(tape)
/// ```
///
/// What a selector means is what CouchDB 3.5 makes of it, where that differs from expectations too:
///
/// - Comparisons go across types by ``JSONCollation``, and equality is sameness there; of `_id` alone exact.
/// - A missing field meets `{"$exists": false}` and nothing else: no `$ne`, no `$nin`, no `$not`. Where the way to a
///   field leads through a number, a string or the like, or past the end of an array, not even that.
/// - `$in` and `$nin` look at the elements of an array, never at the array as a whole.
/// - An empty `$or` is true, an empty `$in` or `$all` false. `$all` tells `1` from `1.0`.
/// - A combination inside of `$and`, `$or` and their like may lack a field; then it is about the whole document.
///
/// Three things are better: a `$nor` below `$elemMatch`, where CouchDB never matches, works as its manual says; `$mod`
/// with the divisor 0 and a path with an empty step are refused at once, not while documents are read.
///
/// Of members of one name that stand in an object twice, paths follow the last; stored documents have none.
package struct Selector: Sendable {
    /// The clauses; `nil` for the empty selector.
    let clause: Clause?

    /// The clauses that must all be true.
    let conjuncts: [Clause]

    /// The selector in CouchDB's normal form: one operator or field in each object, fields with their whole paths,
    /// negations as far down as they can be. The empty selector stays empty.
    package var normalized: JSONValue { clause?.json ?? [:] }

    /// The paths of all fields of the document that the selector is about, as they are written.
    package let fields: Set<String>

    /// Whether there is a `$text` in it, which only a text index can answer.
    package let usesText: Bool

    /// What it asks of geometries, wherever it stands.
    private let geoConditions: [any GeoCondition]

    /// Whether it asks something of geometries, which may take long.
    package var usesPlaces: Bool { !geoConditions.isEmpty }

    /// Reads a selector.
    ///
    /// - Parameter value: The selector as it came, or as ``normalized`` gives it.
    /// - Throws: ``SelectorError`` in CouchDB's words; also when one of ``SelectorLimits`` is passed.
    package init(parsing value: JSONValue) throws(SelectorError) {
        try SelectorLimits.check(value)
        guard case .object(let members) = value else { throw .notAnObject(value) }
        self.init(clause: members.isEmpty ? nil : try Self.clause(value))
    }

    /// Takes clauses that are normalized.
    init(clause: Clause?) {
        self.clause = clause
        conjuncts = clause?.conjuncts ?? []
        fields = clause?.fields ?? []
        usesText = clause?.usesText ?? false
        geoConditions = clause?.geoConditions ?? []
    }

    private static func clause(_ value: JSONValue) throws(SelectorError) -> Clause {
        var parser = ClauseParser()
        let clause = try parser.clause(value).withFields().withoutNegations()
        if case .field(let path, _) = clause, path.text.isEmpty { throw .missingFieldName }
        try clause.checkFields()
        return clause
    }

    /// Whether a value of a scanned text meets the selector. No values are built on the way.
    ///
    /// A `$text` is false here.
    ///
    /// - Parameters:
    ///   - tape: The scanned text.
    ///   - index: The document in it.
    ///   - meter: Counts the work. When it ends the work, the result means nothing.
    package func matches(_ tape: JSONTape, at index: Int = 0, _ meter: WorkMeter? = nil) -> Bool {
        meter?.beginDocument()
        return clause?.matches(TapeNode(tape: tape, index: index), by: .collation, meter) ?? true
    }

    /// Whether a value of a scanned text meets the selector, or why that cannot be known.
    ///
    /// - Parameter meter: Counts the work. When it ends the work, the result means nothing.
    /// - Throws: ``GeoConditionError`` when the relation of an area to a geometry takes too long.
    package func answer(_ tape: JSONTape, _ meter: WorkMeter? = nil) throws(GeoConditionError) -> Bool {
        let isMet = matches(tape, at: 0, meter)
        for condition in geoConditions {
            if let failure = condition.takeFailure() { throw failure }
        }
        return isMet
    }

    /// Whether a document meets the selector.
    ///
    /// A `$text` is false here.
    package func matches(_ value: JSONValue) -> Bool {
        clause?.matches(value, by: .collation, nil) ?? true
    }
}
