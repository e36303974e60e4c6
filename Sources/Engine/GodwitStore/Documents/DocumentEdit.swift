//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One of several changes that are written together. See ``DocumentStore/writeEach(_:)``.
public enum DocumentEdit: Sendable {
    /// Saves a new document, or creates a deleted one again.
    case create(Document)
    /// Saves a new revision of a document.
    case update(Document)
    /// Deletes a revision.
    case delete(Document)
}

/// A revision that was written.
public struct WrittenRevision: Hashable, Sendable {
    /// The document's id.
    public let id: String
    /// The new revision.
    public let revision: RevisionID

    /// Creates a result from the document's id and its new revision.
    package init(id: String, revision: RevisionID) {
        self.id = id
        self.revision = revision
    }
}

extension DocumentEdit {
    /// The document of the edit, its id, and the revision that the edit changes; the revision is `nil` for a new
    /// document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDocument`` if the edit is an update or deletion of a
    ///   document that was never saved.
    package func target() throws(StoreError) -> (document: Document, id: String, revision: RevisionID?) {
        switch self {
        case .create(let document): return (document, document.id ?? DocumentID.random(), nil)
        case .update(let document), .delete(let document):
            let (id, revision) = try document.identity()
            return (document, id, revision)
        }
    }

    /// Whether the edit deletes a revision.
    package var isDeletion: Bool { if case .delete = self { true } else { false } }
}

extension Datastore {
    /// See ``DocumentStore/writeEach(_:)``. Writes all edits that validation accepts in one transaction.
    public func writeEach(
        _ edits: [DocumentEdit]
    ) async throws(StoreError) -> [Result<WrittenRevision, StoreError>] {
        var checkedEdits: [Result<(id: String, document: IncomingDocument), StoreError>] = []
        for edit in edits {
            do throws(StoreError) {
                checkedEdits.append(.success(try await incoming(edit)))
            } catch {
                checkedEdits.append(.failure(error))
            }
        }
        var refusals = try await refusals(of: checkedEdits.compactMap { try? $0.get().document })[...]
        checkedEdits = checkedEdits.map { outcome in
            outcome.flatMap { edit in (refusals.removeFirst()).map { .failure($0) } ?? .success(edit) }
        }
        var written = try await writeEach(checkedEdits.compactMap { try? $0.get().document }, isReplicated: false)[...]
        return checkedEdits.map { outcome in
            outcome.flatMap { id, _ in written.removeFirst().map { WrittenRevision(id: id, revision: $0!) } }
        }
    }

    private func incoming(_ edit: DocumentEdit) async throws(StoreError) -> (id: String, document: IncomingDocument) {
        let (document, id, revision) = try edit.target()
        guard !edit.isDeletion else { return (id, IncomingDocument(id: id, revision: revision, isDeleted: true)) }
        return (id, try await uploading(document).edit(id: id, revision: revision, limits: limits))
    }
}
