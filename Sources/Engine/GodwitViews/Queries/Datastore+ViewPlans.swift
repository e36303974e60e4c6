//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitQuery
package import GodwitStore

extension Datastore {
    /// Prepares a query of a view, and updates the view as the query specifies.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - view: The view's name in the design document.
    ///   - design: The design document's id.
    ///   - partition: The partition to which rows are restricted; `nil` for a view without partitions.
    /// - Throws: ``ViewError`` when the view does not exist, the query is invalid or the database is restricted to an
    ///   owner. ``ScriptError`` when a function fails. ``StoreError``.
    package func plan(
        _ query: ViewQuery, view: String, design: String, partition: String? = nil
    ) async throws -> ViewPlan {
        _ = try scripts()
        guard let viewKind = indexKinds.lazy.compactMap({ $0 as? ViewIndex }).first else {
            throw ViewError.notFound("views are not built for this database")
        }
        guard scope.owner == nil else {
            throw ViewError.invalidQuery("Views are of the complete database, not of one owner's documents.")
        }
        let group = try viewGroup(of: design)
        let index = try await viewIndex(of: group, design: design)
        var plan = try ViewPlan(
            query, view: view, of: group, index: index, partition: partition, in: self, by: viewKind)
        switch query.update {
        case .before: try await updateView(index)
        case .never: break
        case .after: Task.detached { try? await self.updateView(index) }
        }
        let latestSequence = updateSequence.number
        let currentIndex = try read { try $0.index(index.number) }
        plan.followed = currentIndex.map { $0.state == .complete ? latestSequence : $0.sequence } ?? 0
        return plan
    }

    /// Updates the index of a view. If one of its functions fails, throws the function's error.
    private func updateView(_ index: IndexDescription) async throws {
        do {
            _ = try await catchUp(index)
        } catch {
            if let cause = error.cause, cause is ScriptError || cause is ViewError { throw cause }
            throw error
        }
    }

    /// Returns the views of the current design document. Throws ``ViewError`` when the document does not exist or has
    /// no views, and rethrows errors of reading the database.
    package func viewGroup(of design: String) throws -> ViewGroup {
        guard let group = try viewGroupIfAny(of: design) else { throw ViewError.notFound("missing_named_view") }
        return group
    }

    /// Returns the views of the current design document; `nil` when it has none. Throws ``ViewError`` when the document
    /// does not exist, and rethrows errors of reading the database.
    func viewGroupIfAny(of design: String) throws -> ViewGroup? {
        guard let row = try read({ try $0.row(id: design) }) else { throw ViewError.notFound("missing") }
        guard !row.winner.isDeleted else { throw ViewError.notFound("deleted") }
        guard let members = try JSONValue(parsing: row.body).objectValue else { return nil }
        if let viewCount = members["views"]?.objectValue?.count, viewCount > ViewGroup.viewsMax {
            throw ViewError(
                .invalidValue, error: "invalid_design_doc",
                reason: "The design document has \(viewCount) views. The maximum is \(ViewGroup.viewsMax).")
        }
        if let language = members["language"]?.stringValue, !ViewGroup.languages.contains(language) {
            throw ViewError(
                .script, error: "unknown_query_language",
                reason: "The functions are in the language \(language). This server runs JavaScript.")
        }
        return ViewGroup(design: members)
    }

    /// Returns the index of a group. If the design document was stored by a process that did not maintain views,
    /// creates the index. Throws ``ViewError`` when the design document no longer defines the group.
    package func viewIndex(of group: ViewGroup, design: String) async throws -> IndexDescription {
        let signature = IndexSignature.of(group.text)
        func findIndex() throws -> IndexDescription? {
            try indexDescriptions().first { $0.kind == ViewIndex.kindName && $0.name.isIdenticalText(to: signature) }
        }
        if let index = try findIndex() { return index }
        try await makeIndexes(of: design)
        guard let index = try findIndex() else { throw ViewError.notFound("deleted") }
        return index
    }
}
