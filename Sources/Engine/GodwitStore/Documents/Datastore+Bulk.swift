//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitSQLite

/// The revisions of one document that a database does not have.
package struct MissingRevisions: Equatable, Sendable {
    /// The document's id.
    package let id: String
    /// The requested revisions that the database does not have.
    package let missing: [RevisionID]
    /// The leaves in this database from which the missing revisions may descend.
    package let possibleAncestors: [RevisionID]

    /// Creates a result for a document.
    ///
    /// - Parameters:
    ///   - id: The document's id.
    ///   - missing: The revisions that the database does not have.
    ///   - possibleAncestors: The leaves from which the missing revisions may descend.
    package init(id: String, missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.id = id
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}

/// A local document that is stored in the commit of a batch.
package struct BatchRecord: Sendable {
    let id: String
    let body: [UInt8]
    /// A closure that gets the outcome of one document of the batch, and returns whether the local document may be
    /// stored.
    let agrees: @Sendable (Result<RevisionID?, StoreError>) -> Bool

    /// Creates a local document to store with a batch.
    ///
    /// - Parameters:
    ///   - id: The id, without `_local/`.
    ///   - body: The body as JSON.
    ///   - agrees: A closure that gets the outcome of one document of the batch. The local document is stored only if
    ///     the closure returns `true` for each document.
    package init(id: String, body: [UInt8], agrees: @escaping @Sendable (Result<RevisionID?, StoreError>) -> Bool) {
        self.id = id
        self.body = body
        self.agrees = agrees
    }
}

extension Datastore {
    /// Writes documents in one transaction. Each document has its own outcome, so a conflict of one document does not
    /// affect the other documents. This method does not apply the validation rules of the database.
    ///
    /// - Parameters:
    ///   - isReplicated: Whether the documents keep their revision ids.
    ///   - source: The origin of the changes, for listeners.
    ///   - note: A local document to store in the same commit, for example a replication checkpoint. It is stored only
    ///     if its closure `agrees` accepts the outcome of every document.
    /// - Returns: For each document, its new revision (`nil` if `isReplicated` is `true`) or its error.
    /// - Throws: ``StoreError`` if the transaction failed. In this case, nothing was written.
    package func writeEach(
        _ documents: [IncomingDocument], isReplicated: Bool, source: ChangeSource = .local,
        note: BatchRecord? = nil
    ) async throws(StoreError) -> [Result<RevisionID?, StoreError>] {
        var documents = documents
        if !isReplicated { documents.prepareEach() }
        do {
            return try await database.write(scope: scope, source: source) { [documents] transaction in
                let outcomes = try documents.map { document -> Result<RevisionID?, StoreError> in
                    do {
                        return .success(try transaction.write(document, isReplicated: isReplicated))
                    } catch let error as StoreError {
                        return .failure(error)
                    }
                }
                if let note, outcomes.allSatisfy(note.agrees) {
                    let previous = try transaction.documents.local(id: note.id)?.revision ?? 0
                    _ = try transaction.saveLocal(id: note.id, previous: previous, body: note.body)
                }
                return outcomes
            }
        } catch {
            throw (error as? BatchFailure)?.cause ?? StoreError(wrapping: error, subject: "writing to \(name)")
        }
    }

    /// The revisions that a peer has and this database lacks. Revisions that expired here, and documents without
    /// missing revisions, are omitted. All documents are read in one transaction, so pass at most a few hundred
    /// documents at a time.
    package func missing(
        _ revisionsOfDocuments: [(id: String, revisions: [RevisionID])]
    ) throws(StoreError) -> [MissingRevisions] {
        try readTogether { table in
            try revisionsOfDocuments.compactMap { id, revisions in try table.missing(revisions, of: id) }
        }
    }
}

extension [IncomingDocument] {
    /// Computes the ids of the new revisions. Uses several cores for many documents.
    fileprivate mutating func prepareEach() {
        let batchSize = StoreLimits.documentsPreparedTogether
        guard count >= 2 * batchSize else {
            for index in indices { self[index].prepare() }
            return
        }
        let count = count
        withUnsafeMutableBufferPointer { documents in
            // The concurrent calls do not conflict, because each call accesses a separate range of elements.
            nonisolated(unsafe) let documents = documents
            DispatchQueue.concurrentPerform(iterations: (count + batchSize - 1) / batchSize) { part in
                for index in part * batchSize..<Swift.min((part + 1) * batchSize, count) { documents[index].prepare() }
            }
        }
    }
}

extension WriteTransaction {
    /// Writes one of several documents. If it throws an error other than ``BatchFailure``, the document has changed
    /// nothing. After a ``BatchFailure``, the caller must roll back the complete batch.
    fileprivate func write(_ document: IncomingDocument, isReplicated: Bool) throws -> RevisionID? {
        // An edit without attachments needs no savepoint, because such an edit is rejected before it changes anything,
        // except that of a design document. If it fails after it changed rows, the complete batch fails.
        if !isReplicated, document.attachments?.isEmpty != false, !DocumentID.isDesign(document.id ?? "") {
            let changesBefore = connection.changesInAll
            do {
                return try apply(document)
            } catch let error as StoreError {
                guard connection.changesInAll == changesBefore else { throw BatchFailure(cause: error) }
                throw error
            }
        }
        var revision: RevisionID?
        try nested {
            if isReplicated { try graft(document) } else { revision = try apply(document) }
        }
        return revision
    }
}

/// The error of an edit that failed after it had changed rows. The complete batch must be rolled back.
private struct BatchFailure: Error {
    let cause: StoreError
}

extension DocumentTable {
    fileprivate func missing(_ revisions: [RevisionID], of id: String) throws -> MissingRevisions? {
        guard let row = try rowWithTree(id: id) else {
            let missing = try revisions.filter { try !isExpired($0, of: id) }
            return missing.isEmpty ? nil : MissingRevisions(id: id, missing: missing, possibleAncestors: [])
        }
        var tree = try row.tree()
        if tree.olderCount > 0, revisions.contains(where: { tree.index(of: $0) == nil }) {
            tree = try fullTree(of: row)
        }
        let missing = try revisions.filter { try tree.index(of: $0) == nil && !isExpired($0, of: id) }
        guard let highest = missing.map(\.generation).max() else { return nil }
        let ancestors = row.leaves.map(\.revision).filter { $0.generation < highest }
        return MissingRevisions(id: id, missing: missing, possibleAncestors: ancestors)
    }
}
