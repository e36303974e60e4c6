//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit

/// Resolves the conflict of a document.
///
/// Origin: `CDTConflictResolver`. New: ``GodwitStore/ConflictResolver``.
@available(*, deprecated, message: "Use ConflictResolver.")
public protocol CDTConflictResolver {
    /// Returns one of the conflicting revisions. The method may change the content of this revision. If the result is
    /// `nil`, the conflict remains. If the leaf revisions of the document change during the call, the method is called
    /// again. The method must not use the datastore.
    ///
    /// Origin: `resolve:conflicts:`. New: ``GodwitStore/ConflictResolver/init(_:)``.
    func resolve(_ docId: String, conflicts: [CDTDocumentRevision]) -> CDTDocumentRevision?
}

@available(*, deprecated)
extension CDTDatastore {
    /// Returns the ids of documents with more than one leaf that is not deleted. If they cannot be read, the list is
    /// empty.
    ///
    /// Origin: `getConflictedDocumentIds`. New: ``GodwitStore/Datastore/conflictedIDs(after:limit:)``.
    @available(*, deprecated, message: "Use Datastore.conflictedIDs(after:limit:).")
    public func getConflictedDocumentIds() -> [String] { (try? store.conflictedIDs()) ?? [] }

    /// Resolves the conflict of a document. The revision that the resolver returns becomes the only leaf that is not
    /// deleted. A changed revision is saved as a child of the winner. Does nothing if the document has no conflict.
    ///
    /// - Throws: ``CDTError`` with the code 400 if the resolver returns a revision that is not part of the conflict,
    ///   409 if the leaves changed during each call of the resolver, and the errors of saving. After an error, nothing
    ///   was written.
    ///
    /// Origin: `resolveConflictsForDocument:resolver:error:`. New: ``GodwitStore/Datastore/resolveConflict(of:by:)``.
    @available(*, deprecated, message: "Use Datastore.resolveConflict(of:by:).")
    public func resolveConflictsForDocument(_ docId: String, resolver: any CDTConflictResolver) throws {
        let (store, resolver) = (store, OldResolver(resolver))
        let converted = ConflictResolver { conflict in
            let revisions = conflict.leaves.map { CDTDocumentRevision($0, of: store) }
            guard let chosen = resolver.resolve(conflict.id, revisions) else { return .leave }
            let chosenRevision = chosen.revId.flatMap { RevisionID($0) }
            guard let base = conflict.leaves.first(where: { $0.revision == chosenRevision }) else {
                throw CDTError(400, "The resolver returned a revision that is not one of the conflict.")
            }
            guard chosen.changed else { return .keep(base.revision!) }
            var merged = base
            let document = try chosen.document()
            (merged.body, merged.attachments) = (document.body, document.attachments)
            return .merge(merged)
        }
        _ = try CDTError.waiting { try await store.resolveConflict(of: docId, by: converted) }
    }
}

/// A resolver of an app, which is called by one thread at a time.
@available(*, deprecated)
private struct OldResolver: @unchecked Sendable {
    // Proof of `Sendable`: the caller waits until the resolution has ended.
    private let resolver: any CDTConflictResolver

    init(_ resolver: any CDTConflictResolver) { self.resolver = resolver }

    func resolve(_ id: String, _ revisions: [CDTDocumentRevision]) -> CDTDocumentRevision? {
        resolver.resolve(id, conflicts: revisions)
    }
}
