//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitClient
package import GodwitStore

/// Purges documents of which the source has everything, so that no work of this device is lost with them.
package struct KnownPurge {
    private let source: any DatabaseEndpoint
    private let datastore: Datastore

    package init(source: any DatabaseEndpoint, datastore: Datastore) {
        (self.source, self.datastore) = (source, datastore)
    }

    /// Purges the leaves of documents of which the source has every one.
    package func purge(_ documents: [RevisionsOfDocument]) async throws(ReplicationError) {
        guard !documents.isEmpty else { return }
        let ours = Set(try await source.missing(documents).map { ExactText($0.id) })
        do throws(StoreError) {
            for document in documents where !ours.contains(ExactText(document.id)) {
                _ = try await datastore.purge(document.id, revisions: document.revisions)
            }
        } catch {
            throw ReplicationError(error)
        }
    }
}
