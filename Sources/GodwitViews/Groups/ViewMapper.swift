//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitScript
import GodwitStore

/// A row as a map function emitted it.
package struct EmittedRow: Sendable {
    let entry: ViewEntry
    /// Key and value as JSON.
    let key: [UInt8]
    let value: [UInt8]
}

/// What becomes of a document's rows.
package struct ViewChange: Sendable {
    /// The document's number for life.
    let number: Int64
    let rows: [EmittedRow]
}

/// Runs documents through the map functions of a group.
struct ViewMapper: Sendable {
    let scripts: ScriptEngine
    let limits: ViewLimits

    /// The rows of documents that changed, each document once.
    func map(
        _ changes: [IndexChange], by group: ViewGroup, _ program: ScriptProgram, in database: IndexedDatabase
    ) async throws -> [ViewChange] {
        var last: [Int64: Int] = [:]
        for (place, change) in changes.enumerated() { last[change.number] = place }
        var gone: [ViewChange] = []
        var documents: [DocumentRow] = []
        for (place, change) in changes.enumerated() where last[change.number] == place {
            if case .changed(let row, _) = change, group.indexes(row) {
                documents.append(row)
            } else {
                gone.append(ViewChange(number: change.number, rows: []))
            }
        }
        let isPartitioned = group.isPartitioned && database.isPartitioned
        let reader = EmittedReader(views: group.views.count, collation: group.collation, isPartitioned: isPartitioned)
        var mapped = gone
        var batches = DocumentBatches(documents, limits: limits)
        try await withThrowingTaskGroup(of: [ViewChange].self) { tasks in
            var running = 0
            while let batch = batches.next() {
                if running == limits.callsAtATimeMax { mapped += try await tasks.next() ?? [] } else { running += 1 }
                tasks.addTask { try await map(batch, program, reader, group) }
            }
            for try await changes in tasks { mapped += changes }
        }
        return mapped
    }

    private func map(
        _ batch: [DocumentRow], _ program: ScriptProgram, _ reader: EmittedReader, _ group: ViewGroup
    ) async throws -> [ViewChange] {
        let call = ScriptCall(program, "map", [group.text(of: batch)])
        do {
            return try reader.changes(of: batch, in: try await scripts.answer(to: call))
        } catch let error as ScriptError where batch.count > 1 && error.isOfOneDocument {
            // The limits of a call are a document's: one by one, only a document that is too much by itself fails.
            var changes: [ViewChange] = []
            for document in batch { changes += try await map([document], program, reader, group) }
            return changes
        }
    }
}

extension ScriptError {
    /// Whether fewer documents at a time may help.
    fileprivate var isOfOneDocument: Bool { code == .timeout || code == .memory || code == .tooLarge }
}

extension ViewGroup {
    /// Whether a document runs through the functions at all: those of owners are nobody else's.
    fileprivate func indexes(_ row: DocumentRow) -> Bool {
        !row.winner.isDeleted && (includesDesigns || !DocumentID.isDesign(row.id)) && !Scope.isOwned(storedID: row.id)
    }

    /// Documents as the functions are given them: a list of JSON.
    fileprivate func text(of documents: [DocumentRow]) -> [UInt8] {
        var text = DocumentText()
        for (place, row) in documents.enumerated() {
            text.append(UInt8(ascii: place == 0 ? "[" : ","))
            var renderer = DocumentRenderer()
            if !row.otherLeaves.isEmpty {
                renderer.conflicts = row.conflicts
                renderer.deletedConflicts = row.otherLeaves.filter(\.isDeleted).map(\.revision)
            }
            if hasLocalSequence { renderer.localSequence = "\(row.sequence)" }
            renderer.append(StoredRevision(winnerOf: row), to: &text)
        }
        text.append(UInt8(ascii: "]"))
        return text.bytes
    }
}

/// Cuts documents into calls.
private struct DocumentBatches {
    private let documents: [DocumentRow]
    private let limits: ViewLimits
    private var place = 0

    init(_ documents: [DocumentRow], limits: ViewLimits) {
        self.documents = documents
        self.limits = limits
    }

    mutating func next() -> [DocumentRow]? {
        var (end, bytes) = (place, 0)
        while end < documents.count, end - place < limits.documentsPerCallMax,
            end == place || bytes + documents[end].body.count <= limits.bytesPerCallMax
        {
            bytes += documents[end].body.count
            end += 1
        }
        guard end > place else { return nil }
        defer { place = end }
        return Array(documents[place..<end])
    }
}

/// Reads what the map functions emitted: for each document and each view a list of `[key, value]`.
private struct EmittedReader: Sendable {
    let views: Int
    let collation: ViewGroup.Collation
    let isPartitioned: Bool

    func changes(of documents: [DocumentRow], in answer: ScriptAnswer) throws -> [ViewChange] {
        let tape = answer.tape
        var changes: [ViewChange] = []
        changes.reserveCapacity(documents.count)
        var lists = tape.elements(of: answer.index)
        for document in documents {
            guard let list = lists.next(), tape.count(of: list) == views else {
                throw ScriptError(.invalidAnswer, error: "invalid_answer", reason: "A map function gave no rows.")
            }
            var rows: [EmittedRow] = []
            var emitted = tape.elements(of: list)
            for view in 0..<views {
                guard let list = emitted.next() else { break }
                append(list, of: document, in: tape, view: view, to: &rows)
            }
            changes.append(ViewChange(number: document.number, rows: rows))
        }
        return changes
    }

    private func append(
        _ list: Int, of document: DocumentRow, in tape: JSONTape, view: Int, to rows: inout [EmittedRow]
    ) {
        guard tape.count(of: list) > 0 else { return }
        let partition = isPartitioned ? document.id.prefix { $0 != ":" } : nil
        let prefix =
            partition.map { ViewEntry.prefix(view: view, partition: String($0)) } ?? ViewEntry.prefix(view: view)
        for (ordinal, pair) in tape.elements(of: list).enumerated() {
            var members = tape.elements(of: pair)
            guard let key = members.next(), let value = members.next() else { continue }
            var bytes: [UInt8] = []
            collation.append(tape, at: key, to: &bytes)
            rows.append(
                EmittedRow(
                    entry: ViewEntry(prefix: prefix, key: bytes, id: document.id, ordinal: ordinal),
                    key: Array(tape.slice(key)), value: Array(tape.slice(value))))
        }
    }
}
