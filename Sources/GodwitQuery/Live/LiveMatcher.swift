//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText
import GodwitThreads

/// Tells what a document is to a live query.
struct LiveMatcher: Sendable {
    /// A document among the results.
    struct Finding: Sendable {
        let state: LiveState
        let document: FoundDocument
    }

    private let prepared: PreparedQuery
    private let selector: Selector
    /// What documents are sorted by.
    private enum Order: Sendable {
        case fields(JSONIndexDefinition)
        case distance(FieldPath, any GeoCondition)
    }

    /// Gives what documents are sorted by; `nil` where they are sorted by their ids.
    private let order: Order?
    /// Whether the body is all that must be scanned.
    private let readsBody: Bool

    private var query: FindQuery { prepared.query }

    /// - Parameter prepared: The query, with `fields` and `sort` as they were asked for.
    init(_ prepared: PreparedQuery) {
        self.prepared = prepared
        // A search for words is the index's to answer; one that meets all else may be found by it.
        selector = prepared.selector.usesText ? prepared.selector.resolvingText(to: true) : prepared.selector
        if prepared.sort.isEmpty {
            let near = selector.places.first { $0.condition.isNear }
            order = near.map { .distance(FieldPath($0.path), $0.condition) }
        } else {
            order = .fields(JSONIndexDefinition(fields: prepared.sort))
        }
        let names = (prepared.projection?.names ?? []).union(prepared.sort.map(\.name))
        readsBody = selector.isAboutBody && !names.contains { $0.utf8.first == UInt8(ascii: "_") }
    }

    /// Whether documents are sorted by their distance.
    var isByDistance: Bool { if case .distance? = order { true } else { false } }

    /// Whether only an index can tell what is found.
    var usesText: Bool { prepared.selector.usesText }

    /// - Parameters:
    ///   - isFound: Whether the query found it, so that the selector need not be asked.
    ///   - meter: Counts the work; `nil` for work without limits.
    /// - Returns: `nil` when it is not among the results.
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
        case .fields(let definition): return definition.entries(of: tape, id: id)[0].key
        case .distance(let path, let condition):
            guard case .found(let index) = path.target(in: tape) else { return [] }
            // The bits of numbers that are not negative sort as the numbers.
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
