//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The revisions of one document that a database does not have.
package struct MissingRevisions: Equatable, Sendable {
    package let id: String
    package let missing: [RevisionID]
    /// Leaves here from which the missing ones may descend.
    package let possibleAncestors: [RevisionID]

    package init(id: String, missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.id = id
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}

extension Datastore {
    /// Writes documents in one transaction, each with an outcome of its own: a conflict of one is no failure of others.
    ///
    /// - Parameter isReplicated: Whether they keep their revision ids.
    /// - Returns: For each document its new revision; `nil` for a replicated one.
    /// - Throws: ``StoreError`` when nothing at all was written.
    package func writeEach(
        _ documents: [IncomingDocument], isReplicated: Bool
    ) async throws(StoreError) -> [Result<RevisionID?, StoreError>] {
        try await write { transaction in
            try documents.map { document in
                var revision: RevisionID?
                do {
                    try transaction.nested {
                        if isReplicated {
                            try transaction.graft(document)
                        } else {
                            revision = try transaction.save(document)
                        }
                    }
                    return .success(revision)
                } catch let error as StoreError {
                    return .failure(error)
                }
            }
        }
    }

    /// Of revisions that a peer has, those that are missing here.
    package func missing(
        _ asked: [(id: String, revisions: [RevisionID])]
    ) throws(StoreError) -> [MissingRevisions] {
        var missing: [MissingRevisions] = []
        for (id, revisions) in asked {
            if let found = try snapshot({ try $0.missing(revisions, of: id) }) { missing.append(found) }
        }
        return missing
    }
}

extension DocumentTable {
    fileprivate func missing(_ revisions: [RevisionID], of id: String) throws -> MissingRevisions? {
        guard let row = try row(id: id) else {
            return revisions.isEmpty ? nil : MissingRevisions(id: id, missing: revisions, possibleAncestors: [])
        }
        var tree = try row.tree()
        if tree.olderCount > 0, revisions.contains(where: { tree.index(of: $0) == nil }) {
            tree = try fullTree(of: row)
        }
        let missing = revisions.filter { tree.index(of: $0) == nil }
        guard let highest = missing.map(\.generation).max() else { return nil }
        let ancestors = row.leaves.map(\.revision).filter { $0.generation < highest }
        return MissingRevisions(id: id, missing: missing, possibleAncestors: ancestors)
    }
}
