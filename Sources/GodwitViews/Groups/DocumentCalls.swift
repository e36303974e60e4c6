//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript
import GodwitStore

/// Runs documents through the functions of an index, in batches.
struct DocumentCalls: Sendable {
    let scripts: ScriptEngine
    let limits: ViewLimits

    /// Runs documents through functions. A batch that exceeds a limit of one call is repeated document by document.
    ///
    /// - Parameters:
    ///   - documents: The documents.
    ///   - call: Creates the call for a batch.
    ///   - read: Parses the result of a batch.
    func run<Change: Sendable>(
        _ documents: [DocumentRow], call: @escaping @Sendable ([DocumentRow]) -> ScriptCall,
        read: @escaping @Sendable ([DocumentRow], ScriptAnswer) throws -> [Change]
    ) async throws -> [Change] {
        var changes: [Change] = []
        var batches = DocumentBatches(documents, limits: limits)
        try await withThrowingTaskGroup(of: [Change].self) { tasks in
            var running = 0
            while let batch = batches.next() {
                if running == limits.callsAtATimeMax { changes += try await tasks.next() ?? [] } else { running += 1 }
                tasks.addTask { try await runTogether(batch, call: call, read: read) }
            }
            for try await more in tasks { changes += more }
        }
        return changes
    }

    private func runTogether<Change: Sendable>(
        _ batch: [DocumentRow], call: @escaping @Sendable ([DocumentRow]) -> ScriptCall,
        read: @escaping @Sendable ([DocumentRow], ScriptAnswer) throws -> [Change]
    ) async throws -> [Change] {
        do {
            return try read(batch, try await scripts.answer(to: call(batch)))
        } catch let error as ScriptError where batch.count > 1 && error.isOfOneDocument {
            // The limits of a call are those for one document: in separate calls, only a document that exceeds them
            // alone fails.
            var changes: [Change] = []
            for document in batch { changes += try await runTogether([document], call: call, read: read) }
            return changes
        }
    }

    /// Returns documents in the format for functions: a JSON array.
    static func text(of documents: [DocumentRow], withLocalSequence: Bool) -> [UInt8] {
        var text = DocumentText()
        for (position, row) in documents.enumerated() {
            text.append(UInt8(ascii: position == 0 ? "[" : ","))
            var renderer = DocumentRenderer()
            if !row.otherLeaves.isEmpty {
                renderer.conflicts = row.conflicts
                renderer.deletedConflicts = row.otherLeaves.filter(\.isDeleted).map(\.revision)
            }
            if withLocalSequence { renderer.localSequence = row.sequence }
            renderer.append(StoredRevision(winnerOf: row), to: &text)
        }
        text.append(UInt8(ascii: "]"))
        return text.bytes
    }
}

extension ScriptError {
    /// Whether the call may succeed with fewer documents.
    fileprivate var isOfOneDocument: Bool { code == .timeout || code == .memory || code == .tooLarge }
}

extension [IndexChange] {
    /// Divides changes into the documents that run through functions, and the changes that remove a document from the
    /// index. Each document is included once, with its last change. Documents of owners are not indexed.
    func forFunctions(includingDesigns: Bool) -> (documents: [DocumentRow], gone: [IndexChange]) {
        var last: [Int64: Int] = [:]
        for (position, change) in enumerated() { last[change.number] = position }
        var (documents, gone): ([DocumentRow], [IndexChange]) = ([], [])
        for (position, change) in enumerated() where last[change.number] == position {
            if case .changed(let row, _) = change, !row.winner.isDeleted, !Scope.isOwned(storedID: row.id),
                includingDesigns || !DocumentID.isDesign(row.id)
            {
                documents.append(row)
            } else {
                gone.append(change)
            }
        }
        return (documents, gone)
    }
}

/// Divides documents into batches for calls.
struct DocumentBatches {
    private let documents: [DocumentRow]
    private let limits: ViewLimits
    private var position = 0

    init(_ documents: [DocumentRow], limits: ViewLimits) {
        self.documents = documents
        self.limits = limits
    }

    mutating func next() -> [DocumentRow]? {
        var (end, bytes) = (position, 0)
        while end < documents.count, end - position < limits.documentsPerCallMax,
            end == position || bytes + documents[end].body.count <= limits.bytesPerCallMax
        {
            bytes += documents[end].body.count
            end += 1
        }
        guard end > position else { return nil }
        defer { position = end }
        return Array(documents[position..<end])
    }
}
