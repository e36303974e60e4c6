//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

extension Notification.Name {
    /// A document of a ``CDTDatastore`` changed. The notification's object is the datastore. Its `userInfo` contains
    /// `rev`, a ``CDTDocumentRevision``. For a replicated change, `userInfo` also contains `source`, the id of the
    /// replication. The notification is posted after the change, on any thread. Changes of design documents are not
    /// posted. If one document changes several times quickly, one notification may be posted for several changes.
    ///
    /// Origin: `CDTDatastoreChangeNotification`. New:
    /// ``GodwitStore/Datastore/changes(since:limit:live:withDocuments:where:)``.
    @available(*, deprecated, message: "Use Datastore.changes().")
    public static let CDTDatastoreChangeNotification = Notification.Name("CDTDatastoreChangeNotification")
}

@available(*, deprecated)
extension CDTDatastore {
    /// Posts notifications until the datastore is closed or deallocated, or its changes cannot be read.
    func postChanges() -> Task<Void, Never> {
        let start = store.updateSequence
        return Task { [store, weak self] in
            do {
                for try await change in store.changes(since: start, withDocuments: true)
                where CDTDatastore.isShown(change.id) {
                    guard let self else { return }
                    guard let document = change.document else { continue }
                    var info: [AnyHashable: Any] = ["rev": CDTDocumentRevision(document, of: store)]
                    if case .replication(let id) = change.source { info["source"] = id }
                    NotificationCenter.default.post(
                        name: .CDTDatastoreChangeNotification, object: self, userInfo: info)
                }
            } catch {
                // The datastore was closed, or its changes cannot be read.
            }
        }
    }
}
