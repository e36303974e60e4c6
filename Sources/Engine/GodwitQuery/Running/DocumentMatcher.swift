//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// Tests whether the documents that an access path finds match the query, and extracts the requested members.
final class DocumentMatcher: Sendable {
    private let plan: QueryPlan
    /// The query's selector with `true` in place of the `$text`. This selector tests documents that the text index has
    /// found. It is also the first test of documents for which it is not known yet whether the text index finds them.
    /// If the query's selector contains no `$text`, this selector and ``selectorWithoutText`` are equal.
    private let selector: Selector
    /// The query's selector with `false` in place of the `$text`. It tests documents that the text index does not find.
    private let selectorWithoutText: Selector
    /// The branches of an `$or`, one for each access path, with `true` in place of the `$text`; empty without branches.
    private let branches: [Selector]
    /// Whether the body alone is scanned, without the members that the store adds.
    private let readsBody: Bool
    private let isExact: Bool

    init(_ plan: QueryPlan) {
        self.plan = plan
        selector = plan.prepared.selector.resolvingText(to: true)
        selectorWithoutText = plan.prepared.selector.resolvingText(to: false)
        branches = plan.branches.map { $0.resolvingText(to: true) }
        isExact = plan.isExact
        guard !isExact || plan.prepared.projection != nil else {
            readsBody = true
            return
        }
        let projects = plan.prepared.projection?.names.contains { $0.utf8.first == UInt8(ascii: "_") } ?? false
        readsBody = !projects && selector.isAboutBody && plan.branches.allSatisfy(\.isAboutBody)
    }

    /// Returns a document that an access path has found.
    ///
    /// - Parameters:
    ///   - row: The document.
    ///   - access: The index of the access path in the plan.
    ///   - search: The search of the plan's ``QueryPlan/textCheck``. It tests whether the text index finds the
    ///     document. If it is `nil`, this test is omitted.
    ///   - meter: Counts the work; `nil` for unlimited work.
    ///   - key: The key of the index entry, if several entries may find the document.
    /// - Returns: `nil` when the document does not match, or when another entry or an earlier access path returns it.
    func found(
        _ row: DocumentRow, by access: Int, search: TextSearch? = nil, meter: WorkMeter?,
        key: @autoclosure () -> [UInt8]? = nil
    ) throws -> FoundDocument? {
        try found(row, meter) { tape in
            guard
                try matches(tape, access, row.id, meter)
                    && (search.map { try matches(tape, row, $0, meter) } ?? true)
            else { return false }
            guard case .json(let access) = plan.accesses[access], access.mayRepeat, let key = key() else { return true }
            return try access.isFirst(key, of: row)
        }
    }

    /// Returns a document that the plan found before, if it still matches the query. It is assumed that the text index
    /// still finds it.
    func foundAgain(_ row: DocumentRow, meter: WorkMeter?) throws -> FoundDocument? {
        try found(row, meter) { try selector.matches($0, id: row.id, meter) }
    }

    /// Returns a document if it passes a test. An exact plan needs no test.
    private func found(
        _ row: DocumentRow, _ meter: WorkMeter?, if passes: (JSONTape) throws -> Bool
    ) throws -> FoundDocument? {
        if isExact, plan.prepared.projection == nil { return FoundDocument(row: row, projected: nil) }
        meter?.spend(readingBytes: row.body.count)
        let tape = try JSONTape(scanning: readsBody ? row.body : text(of: row), limits: .stored)
        guard try isExact || passes(tape) else { return nil }
        return FoundDocument(row: row, projected: try plan.prepared.projection?.text(of: tape))
    }

    /// Returns the document of an index entry that contains all requested fields; `nil` when it does not match.
    func found(_ part: [UInt8], by access: Int, meter: WorkMeter?) throws -> FoundDocument? {
        meter?.spend(readingBytes: part.count)
        let tape = try JSONTape(scanning: part, limits: .stored)
        guard try isExact || matches(tape, access, "", meter) else { return nil }
        return FoundDocument(row: nil, projected: try plan.prepared.projection?.text(of: tape))
    }

    private func matches(_ tape: JSONTape, _ access: Int, _ id: String, _ meter: WorkMeter?) throws -> Bool {
        guard !branches.isEmpty else { return try selector.matches(tape, id: id, meter) }
        // The index of a branch can also find documents that only match a later branch. That branch returns them.
        return try branches[access].matches(tape, id: id, meter)
            && !branches.prefix(access).contains { try $0.matches(tape, id: id, meter) }
    }

    /// Whether a document that matches ``selector`` also matches the query. The text index is searched only if the
    /// result depends on the `$text`.
    private func matches(
        _ tape: JSONTape, _ row: DocumentRow, _ search: TextSearch, _ meter: WorkMeter?
    ) throws -> Bool {
        try selectorWithoutText.matches(tape, id: row.id, meter) || search.matches(number: row.number)
    }

    private func text(of row: DocumentRow) -> [UInt8] {
        var text = DocumentText()
        var renderer = DocumentRenderer()
        if plan.prepared.query.showsConflicts { renderer.conflicts = row.conflicts }
        renderer.append(StoredRevision(winnerOf: row), to: &text)
        return text.bytes
    }
}

extension JSONAccess {
    /// Whether a key is the first key that finds a document, so that the document is returned once.
    fileprivate func isFirst(_ key: [UInt8], of row: DocumentRow) throws -> Bool {
        let matchingKeys = try definition.entries(of: row).map(\.key).filter { key in
            ranges.contains { !key.lexicographicallyPrecedes($0.lower) && key.lexicographicallyPrecedes($0.upper) }
        }
        return matchingKeys.min { $0.lexicographicallyPrecedes($1) } == key
    }
}
