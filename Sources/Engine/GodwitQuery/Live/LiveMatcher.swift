//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// Tests documents against a live query, and derives their sort keys and versions.
struct LiveMatcher: Sendable {
    /// A document in the results.
    struct Finding: Sendable {
        let state: LiveState
        let document: FoundDocument
    }

    private let prepared: PreparedQuery
    private let selector: Selector
    /// The criterion that documents are sorted by.
    private enum Order: Sendable {
        case fields(JSONIndexDefinition)
        case distance(FieldPath, any GeoCondition)
    }

    /// The criterion that documents are sorted by; `nil` to sort by ids or by the ranking of a `$text`.
    private let order: Order?
    /// Whether the body alone is scanned, without the members that the store adds.
    private let readsBody: Bool

    private var query: FindQuery { prepared.query }

    /// - Parameter prepared: The query with its original `fields` and `sort`.
    init(_ prepared: PreparedQuery) {
        self.prepared = prepared
        // Only the text index can evaluate a `$text`. Here, a document that matches all other conditions is treated as
        // a match.
        selector = prepared.selector.usesText ? prepared.selector.resolvingText(to: true) : prepared.selector
        if prepared.sort.isEmpty {
            let near = selector.places.first { $0.condition.isNear }
            order = near.map { .distance(FieldPath($0.path), $0.condition) }
        } else {
            order = .fields(JSONIndexDefinition(fields: prepared.sort))
        }
        let names = (prepared.projection?.names ?? []).union(prepared.sort.map { ExactText($0.name) })
        readsBody = selector.isAboutBody && !names.contains { $0.utf8.first == UInt8(ascii: "_") }
    }

    /// Whether documents are sorted by distance.
    var isByDistance: Bool { if case .distance? = order { true } else { false } }

    /// Whether the selector has a `$text`, so that only an index can determine the results.
    var usesText: Bool { prepared.selector.usesText }

    /// Returns the state and the content of a document in the results.
    ///
    /// - Parameters:
    ///   - row: The document.
    ///   - isFound: Whether the query found the document, so that the selector is not evaluated.
    ///   - meter: Counts the work; `nil` for unlimited work.
    /// - Returns: `nil` when the document is not in the results.
    func finding(of row: DocumentRow, isFound: Bool = false, meter: WorkMeter?) throws -> Finding? {
        guard !row.winner.isDeleted, !DocumentID.isStoredDesign(row.id) else { return nil }
        if isFound, order == nil, prepared.projection == nil { return finding(row, key: [], projected: nil) }
        meter?.spend(readingBytes: row.body.count)
        let tape = try JSONTape(scanning: readsBody ? row.body : text(of: row), limits: .stored)
        guard try isFound || selector.matches(tape, id: row.id, meter) else { return nil }
        return finding(
            row, key: key(of: tape, id: row.id),
            projected: try prepared.projection?.text(of: tape))
    }

    private func key(of tape: JSONTape, id: String) -> [UInt8] {
        switch order {
        case nil: return []
        case .fields(let definition): return definition.wholeKey(of: tape, id: id)
        case .distance(let path, let condition):
            guard case .found(let index) = path.target(in: tape) else { return [] }
            // The bit patterns of non-negative doubles sort in the order of the doubles.
            let metres = condition.metres(to: tape, at: index) ?? .infinity
            return withUnsafeBytes(of: metres.bitPattern.bigEndian) { Array($0) }
        }
    }

    private func finding(_ row: DocumentRow, key: [UInt8], projected: [UInt8]?) -> Finding {
        let version = LiveVersion { hasher in
            if let projected { return projected.withUnsafeBytes { hasher.combine(bytes: $0) } }
            hasher.combine(row.winner.revision)
            hasher.combine(row.absentAttachmentCount)
            if query.showsConflicts { hasher.combine(row.conflicts) }
        }
        return Finding(
            state: LiveState(key: key, version: version),
            document: FoundDocument(row: projected == nil ? row : nil, projected: projected))
    }

    private func text(of row: DocumentRow) -> [UInt8] {
        var text = DocumentText()
        var renderer = DocumentRenderer()
        if query.showsConflicts { renderer.conflicts = row.conflicts }
        renderer.append(StoredRevision(winnerOf: row), to: &text)
        return text.bytes
    }
}
