//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON

/// A Mango selector: a condition that documents match or do not match. It is parsed and converted to CouchDB's normal
/// form.
///
/// ```swift
/// let selector = try Selector(parsing: ["species": "Limosa lapponica", "rings": ["$elemMatch": ["$gte": 10]]])
/// selector.normalized  // {"$and":[{"species":{"$eq":"Limosa lapponica"}},{"rings":{"$elemMatch":{"":{"$gte":10}}}}]}
/// selector.matches(tape)
/// ```
///
/// Selectors have the semantics of CouchDB 3.5, including the unexpected ones:
///
/// - Comparisons, including comparisons of equality and of different types, follow ``JSONCollation``. Only `_id` is
///   compared exactly.
/// - A missing field matches `{"$exists": false}` only: it does not match `$ne`, `$nin` or `$not`. If the path leads
///   through a scalar, or past the end of an array, the field does not match `{"$exists": false}` either.
/// - `$in` and `$nin` compare the elements of an array, never the array itself.
/// - An empty `$or` is true. An empty `$in` or `$all` is false. `$all` distinguishes `1` from `1.0`.
/// - A condition inside `$and`, `$or`, `$nor` or `$not` need not have a field. A condition without a field is about the
///   complete document.
///
/// Three behaviors differ from CouchDB:
///
/// - A `$nor` below `$elemMatch` works as CouchDB's manual describes. In CouchDB it never matches.
/// - A `$mod` with the divisor 0 is rejected when the selector is parsed, not while documents are read.
/// - A path with an empty step is also rejected when the selector is parsed.
///
/// If an object has several members with the same name, paths follow the last of them. Stored documents have no such
/// members.
package struct Selector: Sendable {
    /// The root clause; `nil` for the empty selector.
    let clause: Clause?

    /// The clauses that must all be true.
    let conjuncts: [Clause]

    /// The selector in CouchDB's normal form: one operator or field in each object, fields with their complete paths,
    /// negations moved down as far as possible. The empty selector is unchanged.
    package var normalized: JSONValue { clause?.json ?? [:] }

    /// The paths of all fields of the document that the selector tests, in their original notation.
    package let fields: Set<ExactText>

    /// Whether the selector contains a `$text`, which only a text index can answer.
    package let usesText: Bool

    /// The geospatial conditions at any depth.
    private let geoConditions: [any GeoCondition]

    /// Whether the selector contains geospatial conditions, whose evaluation can take long.
    package var usesGeoConditions: Bool { !geoConditions.isEmpty }

    /// Parses a selector.
    ///
    /// - Parameter value: The selector in its original notation or in the notation of ``normalized``.
    /// - Throws: ``SelectorError`` with CouchDB's text when the selector is invalid or exceeds one of
    ///   ``SelectorLimits``.
    package init(parsing value: JSONValue) throws(SelectorError) {
        try SelectorLimits.check(value)
        guard case .object(let members) = value else { throw .notAnObject(value) }
        self.init(clause: members.isEmpty ? nil : try Self.clause(value))
    }

    /// Creates a selector from its normalized root clause; `nil` creates the empty selector.
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

    /// Whether a value in a scanned text matches the selector. The value is not decoded.
    ///
    /// Every `$text` evaluates to false.
    ///
    /// - Parameters:
    ///   - tape: The scanned text.
    ///   - index: The index of the document in it.
    ///   - meter: Counts the work. After it has stopped the work, the result is meaningless.
    package func matches(_ tape: JSONTape, at index: Int = 0, _ meter: WorkMeter? = nil) -> Bool {
        meter?.beginDocument()
        return clause?.matches(TapeNode(tape: tape, index: index), by: .collation, meter) ?? true
    }

    /// Whether the root of a scanned text matches the selector. Throws an error when this cannot be determined.
    ///
    /// - Parameter meter: Counts the work. After it has stopped the work, the result is meaningless.
    /// - Throws: ``GeoConditionError`` when a geospatial condition could not be tested, for instance because the
    ///   relation of an area to a geometry takes too long.
    package func answer(_ tape: JSONTape, _ meter: WorkMeter? = nil) throws(GeoConditionError) -> Bool {
        let isMet = matches(tape, at: 0, meter)
        for condition in geoConditions {
            if let failure = condition.takeFailure() { throw failure }
        }
        return isMet
    }

    /// Whether a document matches the selector.
    ///
    /// Every `$text` evaluates to false.
    package func matches(_ value: JSONValue) -> Bool {
        clause?.matches(value, by: .collation, nil) ?? true
    }
}
