//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitClient
package import GodwitJSON
import GodwitQuery
package import GodwitStore

// The feed of a selector tells what meets it now. A document that was pulled by it, and then changed at the source such that it
// does not meet it any more or is deleted, is in no such feed. So the documents that are here are asked for by their ids too:
// what of them changed since the last time costs little, however much else did.

/// Brings documents that a datastore holds to where the source has them.
package struct HeldDocuments {
    private let source: any DatabaseEndpoint
    private let datastore: Datastore
    private let limits: ReplicationLimits
    private let placeID: String

    /// - Parameter placeID: The id of the local document that notes the sequence of the source up to which this was done.
    package init(source: any DatabaseEndpoint, datastore: Datastore, limits: ReplicationLimits, placeID: String) {
        (self.source, self.datastore, self.limits, self.placeID) = (source, datastore, limits, placeID)
    }

    /// Pulls the documents that meet a selector here and changed at the source since the last time, whatever became of them; the
    /// first time all that the source has otherwise.
    package func bringUp(_ selector: JSONObject) async throws(ReplicationError) {
        let local = LocalEndpoint(datastore)
        let place = try await local.checkpoint(placeID)?["place"]?.stringValue
        var (next, isWhole): (String?, Bool) = (nil, true)
        do {
            try await datastore.forEachSlice(of: selector) { ids in
                let report = try await pull(ids, after: place)
                // Only where the first slice was read was nothing read later.
                next = next ?? report.endSequence
                isWhole = isWhole && report.failures.isEmpty
            }
        } catch {
            throw ReplicationError(reading: error, "the documents that are here")
        }
        guard let next, isWhole else { return }
        try await local.saveCheckpoint(placeID, ["place": .string(next)])
    }

    private func pull(_ ids: [String], after place: String?) async throws(ReplicationError) -> ReplicationReport {
        var selection = ReplicationSelection.documents(ids)
        selection.since = place
        var replicator = Replicator(.pull, datastore, with: source, selection: selection, limits: limits)
        replicator.keepsCheckpoints = false
        return try await replicator.run()
    }
}

extension Datastore {
    /// How many documents are asked for together.
    private static let documentsTogether = 500

    /// Gives the ids of the documents that meet a selector, so many at a time.
    package func forEachSlice(
        of selector: JSONObject, isolation: isolated (any Actor)? = #isolation,
        _ body: ([String]) async throws -> Void
    ) async throws {
        var ids: [String] = []
        for try await document in find(selector, fields: ["_id"]) {
            if let id = document.id { ids.append(id) }
            guard ids.count == Self.documentsTogether else { continue }
            try await body(ids)
            ids = []
        }
        if !ids.isEmpty { try await body(ids) }
    }
}
