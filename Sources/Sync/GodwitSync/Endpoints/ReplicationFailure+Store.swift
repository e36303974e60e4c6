//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore
import GodwitTransport

extension ReplicationFailure {
    /// Creates the failure of a document that the store refused.
    package init(id: String, revision: RevisionID?, _ error: StoreError) {
        if let refusal = error.cause as? any WriteRefusal {
            self.init(
                id: id, revision: revision, status: refusal.statusOfRefusal, error: refusal.error,
                reason: refusal.reason)
            return
        }
        let (status, errorName): (Int, String) =
            switch error.code {
            case .missingStub: (412, Peer.missingStub)
            case .documentTooLarge: (413, "document_too_large")
            case .invalidDocument, .invalidDocumentID, .invalidJSON, .invalidRevision: (400, "bad_request")
            default: (500, error.code.description)
            }
        self.init(id: id, revision: revision, status: status, error: errorName, reason: error.message)
    }
}
