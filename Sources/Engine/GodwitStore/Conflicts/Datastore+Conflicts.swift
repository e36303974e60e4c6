//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Datastore {
    /// The live leaves of a document, the winner first; empty if the document is deleted. If there is more than one
    /// live leaf, the document is in conflict.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document never existed.
    public func leaves(of id: String) throws(StoreError) -> [RevisionID] {
        try read { table in
            guard let row = try table.row(id: id) else { throw StoreError.missing(id: id) }
            return row.leaves.lazy.filter { !$0.isDeleted }.map(\.revision)
        }
    }

    /// The ids of conflicted documents, in bytewise order.
    ///
    /// - Parameters:
    ///   - id: The id after which the list begins; `nil` for the beginning.
    ///   - limit: The largest number of ids.
    public func conflictedIDs(after id: String? = nil, limit: Int = .max) throws(StoreError) -> [String] {
        try readTogether { try $0.conflictedIDs(after: id, rowsMax: limit) }
    }

    /// The conflict of a document, as a resolver receives it; `nil` if the document has no conflict.
    public func conflict(of id: String) throws(StoreError) -> Conflict? {
        try readTogether { try $0.conflict(of: id) }
    }

    /// Resolves a conflict in one write: saves the document as a child of the winner, and deletes every other live
    /// leaf.
    ///
    /// - Parameter document: The resolved document, with the winner's revision.
    /// - Returns: The document with its new revision, which is now the only live leaf.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the winner changed in the meantime, or a
    ///   validation error of ``create(_:)``. If an error is thrown, nothing was written.
    public func resolve(_ document: Document) async throws(StoreError) -> Document {
        let document = try await uploading(document)
        let (id, revision) = try document.identity()
        let edit = try document.edit(id: id, revision: revision, limits: limits)
        let saved = try await saveTogether(id) { table in
            guard let row = try table.row(id: id), row.winner.revision == revision else {
                throw StoreError.conflict(id: id)
            }
            return [edit] + IncomingDocument.deletions(row.conflicts, of: id)
        }
        guard let written = saved?.first else { throw StoreError.conflict(id: id) }
        return try self.written(document, id: id, at: written)
    }

    /// Resolves a conflict with a resolver.
    ///
    /// The resolver does not run within a write. If the leaves change while the resolver runs, the resolver is called
    /// again, at most `resolutionRoundsMax` times.
    ///
    /// - Parameters:
    ///   - id: The document's id. If the document has no conflict, nothing changes.
    ///   - resolver: The resolver: see ``Resolution``.
    /// - Returns: The current document; `nil` if it was left in conflict, is deleted or does not exist.
    /// - Throws: One of these errors. If an error is thrown, nothing was written.
    ///   - The error that `resolver` throws.
    ///   - ``StoreError`` with code ``StoreError/Code/conflict`` if the leaves changed each time.
    ///   - ``StoreError`` with code ``StoreError/Code/invalidRevision`` if the resolver keeps a revision that is not a
    ///     live leaf.
    ///   - A validation error of ``create(_:)``.
    @discardableResult
    public func resolveConflict(
        of id: String, by resolver: ConflictResolver
    ) async throws -> Document? {
        try await resolveConflict(of: id, by: resolver, source: .local)
    }

    func resolveConflict(of id: String, by resolver: ConflictResolver, source: ChangeSource) async throws -> Document? {
        for _ in 0..<limits.resolutionRoundsMax {
            guard let conflict = try conflict(of: id) else { return try documents([id])[0] }
            switch try resolver.resolve(conflict) {
            case .leave: return nil
            case .keep(let revision):
                guard conflict.leaves.contains(where: { $0.revision == revision }) else {
                    throw StoreError(
                        .invalidRevision,
                        "the resolver kept \(revision), which is not a live leaf of \(id). Keep one of the live leaves."
                    )
                }
                if try await writeResolution(of: conflict, keeping: revision, merged: nil, source: source) {
                    return try document(id)
                }
            case .merge(let merged):
                let merged = try await uploading(merged.based(on: conflict.winner))
                if try await writeResolution(
                    of: conflict, keeping: conflict.winner.revision!, merged: merged, source: source)
                {
                    return try document(id)
                }
            }
        }
        throw StoreError.conflict(id: id)
    }

    /// Writes the result of a resolution.
    ///
    /// - Returns: `false` if the live leaves have changed, so that nothing was written.
    private func writeResolution(
        of conflict: Conflict, keeping keptRevision: RevisionID, merged: Document?, source: ChangeSource
    ) async throws(StoreError) -> Bool {
        let leafRevisions = conflict.leaves.map { $0.revision! }
        let edits =
            try merged.map { merged throws(StoreError) in
                [try merged.edit(id: conflict.id, revision: merged.revision, limits: limits)]
            } ?? []
        let saved = try await saveTogether(conflict.id, source: source) { table in
            let live = try table.row(id: conflict.id)?.leaves.filter { !$0.isDeleted }.map(\.revision)
            guard live == leafRevisions else { return nil }
            return edits + IncomingDocument.deletions(leafRevisions.filter { $0 != keptRevision }, of: conflict.id)
        }
        return saved != nil
    }
}

extension IncomingDocument {
    fileprivate static func deletions(_ leaves: [RevisionID], of id: String) -> [IncomingDocument] {
        leaves.map { IncomingDocument(id: id, revision: $0, isDeleted: true) }
    }
}

extension Document {
    /// The document as an edit of the winner. The edit has all attachments of the document, including attachments from
    /// other leaves.
    fileprivate func based(on winner: Document) -> Document {
        Document(
            id: winner.id, revision: winner.revision, isDeleted: false, body: body, attachments: attachments)
    }
}

extension DocumentTable {
    fileprivate func conflict(of id: String) throws -> Conflict? {
        guard let row = try row(id: id), !row.winner.isDeleted, !row.conflicts.isEmpty else { return nil }
        let live = [row.winner.revision] + row.conflicts
        let leaves = try live.map { try document(id, at: $0) }
        let tree = try fullTree(of: row)
        let paths = live.compactMap { tree.index(of: $0) }.map { tree.path(from: $0) }
        let commonRevisions = paths.dropFirst().reduce(paths[0]) { shared, path in
            let members = Set(path)
            return shared.filter(members.contains)
        }
        var ancestor: Document?
        if let youngest = commonRevisions.first, let stored = try revision(youngest, of: row) {
            ancestor = try Document(stored)
        }
        return Conflict(id: id, leaves: leaves, ancestor: ancestor)
    }
}
