//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitTransport

// The feed of a selector contains the documents that match it. The feed does not report a document that no longer
// matches, or whose tombstone does not have the members that the selector requires. Such a document remains in the
// target. With ``Replicator/Unmatched/purge``, a pull ends with a sweep: it reads the changes of all documents since
// the previous sweep, whose position is a separate checkpoint. Documents of the datastore that do not match at the
// source are purged. A document is purged only if the source has all its leaves, so that no local change is lost.

/// Purges the documents of a datastore that no longer match the selector of the pull.
struct UnmatchedSweeper {
    let source: any DatabaseEndpoint
    let datastore: Datastore
    let selector: Selector
    /// The id of the replication.
    let id: String

    private static let changesPerRequest = 1_000
    private static let readBytesMax = 4 << 20

    /// Checks the documents that changed since the last call. The first call checks all documents.
    func sweep() async throws(ReplicationError) {
        let local = LocalEndpoint(datastore)
        let lastSequence = try await local.checkpoint(checkpointID)?["place"]?.stringValue
        var query = ChangesQuery(after: lastSequence, limit: UnmatchedSweeper.changesPerRequest)
        query.selection.winnersOnly = true
        var (isLast, isComplete) = (false, true)
        while !isLast {
            if Task.isCancelled { throw ReplicationError(.cancelled, "the replication was cancelled") }
            let page = try await source.changes(query)
            // If a document could not be read, this page and later pages are not recorded, so the next sweep reads them
            // again.
            isComplete = try await sweep(page.changes, local) && isComplete
            isLast = page.isLast || ExactText.areEqual(page.lastSequence, query.after)
            query.after = page.lastSequence
            if isComplete { try await local.saveCheckpoint(checkpointID, ["place": .string(page.lastSequence)]) }
        }
    }

    private var checkpointID: String { "\(id)-unmatched" }

    /// Purges those of the changed documents that no longer match the selector.
    ///
    /// - Returns: `false` if the source could not read a document now but may be able to read it later.
    private func sweep(
        _ changes: [RevisionsOfDocument], _ local: LocalEndpoint
    ) async throws(ReplicationError) -> Bool {
        var isComplete = true
        var localLeaves: [ExactText: [RevisionID]] = [:]
        for change in changes {
            let row = try local.stored { () throws(StoreError) in try datastore.read { try $0.row(id: change.id) } }
            if let row { localLeaves[ExactText(change.id)] = row.leaves.map(\.revision) }
        }
        var wanted = changes.filter { localLeaves[ExactText($0.id)] != nil }.map {
            WantedRevisions(id: $0.id, revisions: $0.revisions)
        }
        while !wanted.isEmpty {
            let result = try await source.read(wanted, bytesMax: UnmatchedSweeper.readBytesMax, attachmentBytesMax: 0)
            let unmatched = result.documents.filter { !matchesSelector($0.text) }
            try await KnownPurge(source: source, datastore: datastore).purge(
                unmatched.map { RevisionsOfDocument(id: $0.id, revisions: localLeaves[ExactText($0.id)] ?? []) })
            isComplete = isComplete && !result.failures.contains(where: \.isTransient)
            wanted = result.unread
        }
        return isComplete
    }

    private func matchesSelector(_ text: [UInt8]) -> Bool {
        // A document that cannot be parsed is kept.
        guard let tape = try? JSONTape(scanning: text, limits: .replicated) else { return true }
        return (try? selector.answer(tape)) ?? true
    }
}
