//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// A row emitted by a map function.
package struct EmittedRow: Sendable {
    let entry: ViewEntry
    /// The key as JSON.
    let key: [UInt8]
    let value: [UInt8]
}

/// The new rows of a document.
package struct ViewChange: Sendable {
    /// The document's permanent number.
    let number: Int64
    let rows: [EmittedRow]
}

/// Calls the map functions of a group with documents.
struct ViewMapper: Sendable {
    let scripts: ScriptEngine
    let limits: ViewLimits

    /// Returns the rows of changed documents, each document once. Throws ``ScriptError`` when a function fails or its
    /// answer is invalid.
    func map(
        _ changes: [IndexChange], by group: ViewGroup, _ program: ScriptProgram, in database: IndexedDatabase
    ) async throws -> [ViewChange] {
        let (documents, gone) = changes.forFunctions(includingDesigns: group.includesDesigns)
        let isPartitioned = group.isPartitioned && database.isPartitioned
        let reader = EmittedReader(collations: group.views.map(\.collation), isPartitioned: isPartitioned)
        let documentChanges = try await DocumentCalls(scripts: scripts, limits: limits).run(documents) { batch in
            let text = DocumentCalls.text(of: batch, withLocalSequence: group.hasLocalSequence)
            return ScriptCall(program, "map", [text])
        } read: { batch, answer in
            try reader.changes(of: batch, in: answer)
        }
        return gone.map { ViewChange(number: $0.number, rows: []) } + documentChanges
    }
}

/// Parses the emitted rows: for each document and each view a list of `[key, value]`.
private struct EmittedReader: Sendable {
    /// The collation of each view.
    let collations: [ViewGroup.Collation]
    let isPartitioned: Bool

    func changes(of documents: [DocumentRow], in answer: ScriptAnswer) throws -> [ViewChange] {
        let tape = answer.tape
        var changes: [ViewChange] = []
        changes.reserveCapacity(documents.count)
        var documentLists = tape.elements(of: answer.index)
        for document in documents {
            guard let documentList = documentLists.next(), tape.count(of: documentList) == collations.count else {
                throw ScriptError(.invalidAnswer, error: "invalid_answer", reason: "A map function returned no rows.")
            }
            var rows: [EmittedRow] = []
            var viewLists = tape.elements(of: documentList)
            for view in collations.indices {
                guard let viewList = viewLists.next() else { break }
                appendRows(of: viewList, of: document, in: tape, view: view, to: &rows)
            }
            changes.append(ViewChange(number: document.number, rows: rows))
        }
        return changes
    }

    /// - Parameter list: The index of a list in the tape. The list contains the pairs that the function of one view
    ///   emitted for the document.
    private func appendRows(
        of list: Int, of document: DocumentRow, in tape: JSONTape, view: Int, to rows: inout [EmittedRow]
    ) {
        guard tape.count(of: list) > 0 else { return }
        let partition = isPartitioned ? document.id.utf8.prefix { $0 != UInt8(ascii: ":") } : nil
        let prefix =
            partition.map { ViewEntry.prefix(view: view, partition: String(decoding: $0, as: UTF8.self)) }
            ?? ViewEntry.prefix(view: view)
        for (ordinal, pair) in pairs(list, in: tape, view: view).enumerated() {
            rows.append(
                EmittedRow(
                    entry: ViewEntry(prefix: prefix, key: pair.bytes, id: document.id, ordinal: ordinal),
                    key: Array(tape.slice(pair.key)), value: Array(tape.slice(pair.value))))
        }
    }

    /// Returns the emitted pairs of a document: the bytes of the collation key, and the tape's indexes of key and
    /// value. As in CouchDB, if some pairs have equal keys, all pairs are ordered by keys, and pairs with equal keys by
    /// values. If all keys differ, the pairs keep the order in which they were emitted.
    private func pairs(_ list: Int, in tape: JSONTape, view: Int) -> [(bytes: [UInt8], key: Int, value: Int)] {
        var pairs: [(bytes: [UInt8], key: Int, value: Int)] = []
        for pair in tape.elements(of: list) {
            var members = tape.elements(of: pair)
            guard let key = members.next(), let value = members.next() else { continue }
            var bytes: [UInt8] = []
            collations[view].append(tape, at: key, to: &bytes)
            pairs.append((bytes, key, value))
        }
        guard pairs.count > 1, Set(pairs.map(\.bytes)).count < pairs.count else { return pairs }
        let sortable = pairs.map { pair -> (pair: (bytes: [UInt8], key: Int, value: Int), valueBytes: [UInt8]) in
            var valueBytes: [UInt8] = []
            ViewGroup.Collation.raw.append(tape, at: pair.value, to: &valueBytes)
            return (pair, valueBytes)
        }
        return sortable.sorted { left, right in
            left.pair.bytes == right.pair.bytes
                ? left.valueBytes.lexicographicallyPrecedes(right.valueBytes)
                : left.pair.bytes.lexicographicallyPrecedes(right.pair.bytes)
        }.map(\.pair)
    }
}
