//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitQuery
package import GodwitStore
package import GodwitTransport

// The feed of a selector contains the documents that match it now. A pulled document may later be deleted at the
// source, or changed so that it no longer matches. The feed does not report such a document. Therefore, the source is
// also asked for the changes of those documents that match in the datastore, by their ids. The cost depends only on how
// many of these documents changed, and not on other changes.

/// Updates documents of a datastore to the revisions of the source.
package struct DocumentRefresh {
    private let source: any DatabaseEndpoint
    private let datastore: Datastore
    private let limits: ReplicationLimits
    private let checkpointID: String

    /// Creates a refresh.
    ///
    /// - Parameter checkpointID: The id of the local document that stores the source's sequence of the last update.
    package init(source: any DatabaseEndpoint, datastore: Datastore, limits: ReplicationLimits, checkpointID: String) {
        (self.source, self.datastore, self.limits, self.checkpointID) = (source, datastore, limits, checkpointID)
    }

    /// Pulls the documents that match a selector in the datastore and that changed at the source since the last update.
    /// These documents are pulled even if they no longer match at the source. The first call pulls all documents that
    /// match in the datastore and differ at the source.
    ///
    /// - Throws: ``ReplicationError`` if the pull fails or the local documents cannot be read.
    package func bringUp(_ selector: JSONObject) async throws(ReplicationError) {
        let local = LocalEndpoint(datastore)
        let lastSequence = try await local.checkpoint(checkpointID)?["place"]?.stringValue
        var (nextSequence, isComplete): (String?, Bool) = (nil, true)
        do {
            try await datastore.forEachSlice(of: selector) { ids in
                let report = try await pull(ids, after: lastSequence)
                // The sequence of the first slice is used, because documents of later slices may have changed after it.
                nextSequence = nextSequence ?? report.endSequence
                isComplete = isComplete && report.failures.isEmpty
            }
        } catch {
            throw ReplicationError(reading: error, "the local documents")
        }
        guard let nextSequence, isComplete else { return }
        try await local.saveCheckpoint(checkpointID, ["place": .string(nextSequence)])
    }

    private func pull(_ ids: [String], after lastSequence: String?) async throws(ReplicationError) -> ReplicationReport
    {
        var selection = ReplicationSelection.documents(ids)
        selection.since = lastSequence
        var replicator = Replicator(.pull, datastore, with: source, selection: selection, limits: limits)
        replicator.keepsCheckpoints = false
        return try await replicator.run()
    }
}

extension Datastore {
    /// The maximum number of documents in one slice.
    private static let documentsPerSlice = 500

    /// Calls a closure with the ids of the documents that match a selector, in slices. Rethrows the closure's errors.
    package func forEachSlice(
        of selector: JSONObject, isolation: isolated (any Actor)? = #isolation,
        _ body: ([String]) async throws -> Void
    ) async throws {
        var ids: [String] = []
        for try await document in find(selector, fields: ["_id"]) {
            if let id = document.id { ids.append(id) }
            guard ids.count == Self.documentsPerSlice else { continue }
            try await body(ids)
            ids = []
        }
        if !ids.isEmpty { try await body(ids) }
    }
}
