//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitStore
package import GodwitTransport

/// Purges documents only if the source has all their revisions, so that no local change is lost.
package struct KnownPurge {
    private let source: any DatabaseEndpoint
    private let datastore: Datastore

    /// Creates a purge.
    ///
    /// - Parameters:
    ///   - source: The database that must have the revisions.
    ///   - datastore: The database whose documents are purged.
    package init(source: any DatabaseEndpoint, datastore: Datastore) {
        (self.source, self.datastore) = (source, datastore)
    }

    /// Purges the given leaves of each document, if the source has all of these leaves. The caller must give all leaves
    /// of a document.
    package func purge(_ documents: [RevisionsOfDocument]) async throws(ReplicationError) {
        guard !documents.isEmpty else { return }
        let localOnlyIDs = Set(try await source.missing(documents).map { ExactText($0.id) })
        do throws(StoreError) {
            for document in documents where !localOnlyIDs.contains(ExactText(document.id)) {
                _ = try await datastore.purge(document.id, revisions: document.revisions)
            }
        } catch {
            throw ReplicationError(error)
        }
    }
}
