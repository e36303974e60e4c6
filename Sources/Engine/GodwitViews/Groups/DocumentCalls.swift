//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Calls the functions of an index with documents, in batches.
struct DocumentCalls: Sendable {
    let scripts: ScriptEngine
    let limits: ViewLimits

    /// Calls functions with documents. If a batch exceeds a limit of one call, its documents are processed again, each
    /// in its own call.
    ///
    /// - Parameters:
    ///   - documents: The documents.
    ///   - call: Creates the call for a batch.
    ///   - read: Parses the answer to a batch.
    /// - Returns: The changes of all documents, in no fixed order.
    /// - Throws: ``ScriptError`` when a call fails; rethrows errors of `read`.
    func run<Change: Sendable>(
        _ documents: [DocumentRow], call makeCall: @escaping @Sendable ([DocumentRow]) -> ScriptCall,
        read parse: @escaping @Sendable ([DocumentRow], ScriptAnswer) throws -> [Change]
    ) async throws -> [Change] {
        var changes: [Change] = []
        var batches = DocumentBatches(documents, limits: limits)
        try await withThrowingTaskGroup(of: [Change].self) { tasks in
            var runningCount = 0
            while let batch = batches.next() {
                if runningCount == limits.callsAtATimeMax {
                    changes += try await tasks.next() ?? []
                } else {
                    runningCount += 1
                }
                tasks.addTask { try await runBatch(batch, call: makeCall, read: parse) }
            }
            for try await batchChanges in tasks { changes += batchChanges }
        }
        return changes
    }

    private func runBatch<Change: Sendable>(
        _ batch: [DocumentRow], call makeCall: @escaping @Sendable ([DocumentRow]) -> ScriptCall,
        read parse: @escaping @Sendable ([DocumentRow], ScriptAnswer) throws -> [Change]
    ) async throws -> [Change] {
        do {
            return try parse(batch, try await scripts.answer(to: makeCall(batch)))
        } catch let error as ScriptError where batch.count > 1 && error.isOfOneDocument {
            // The batch exceeded a limit. Each document that does not exceed the limits alone succeeds in a separate
            // call.
            var changes: [Change] = []
            for document in batch { changes += try await runBatch([document], call: makeCall, read: parse) }
            return changes
        }
    }

    /// Returns documents in the format for functions: a JSON array.
    static func text(of documents: [DocumentRow], withLocalSequence: Bool) -> [UInt8] {
        var text = DocumentText()
        for (index, row) in documents.enumerated() {
            text.append(UInt8(ascii: index == 0 ? "[" : ","))
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
    /// Divides changes into two lists: the documents with which the functions must be called, and the changes that
    /// remove a document from the index. Each document is included once, with its last change. Documents of owners are
    /// not indexed.
    func forFunctions(includingDesigns: Bool) -> (documents: [DocumentRow], gone: [IndexChange]) {
        var lastIndexes: [Int64: Int] = [:]
        for (index, change) in enumerated() { lastIndexes[change.number] = index }
        var (documents, gone): ([DocumentRow], [IndexChange]) = ([], [])
        for (index, change) in enumerated() where lastIndexes[change.number] == index {
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
    private var nextIndex = 0

    init(_ documents: [DocumentRow], limits: ViewLimits) {
        self.documents = documents
        self.limits = limits
    }

    /// Returns the next batch; `nil` when no documents remain.
    mutating func next() -> [DocumentRow]? {
        var (endIndex, byteCount) = (nextIndex, 0)
        while endIndex < documents.count, endIndex - nextIndex < limits.documentsPerCallMax,
            endIndex == nextIndex || byteCount + documents[endIndex].body.count <= limits.bytesPerCallMax
        {
            byteCount += documents[endIndex].body.count
            endIndex += 1
        }
        guard endIndex > nextIndex else { return nil }
        defer { nextIndex = endIndex }
        return Array(documents[nextIndex..<endIndex])
    }
}
