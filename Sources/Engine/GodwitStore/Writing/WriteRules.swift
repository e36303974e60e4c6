//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Validation functions of design documents are written by users and may be slow. Therefore, an edit is validated before
// it waits for the writer. The functions receive the edit and the revision that it changes. The result remains valid
// until the commit. First, the body of that revision never changes. Second, if the revision is no longer a leaf at the
// commit, the edit is rejected as a conflict. As in CouchDB, a design document that is written between the validation
// and the commit applies only to later writes. Edits that are computed from the state of the database (a resolution, a
// deletion with all conflicts) are computed again by the writer. If the new edits differ from the validated edits, the
// new edits are validated too.
//
// The exception is an edit in a closure that a caller passes to ``Datastore/write(_:)``. Such edits are known only
// within the transaction, so the writer waits for the validation functions.
//
// The server validates requests with the same functions, which receive the user of the request. It passes accepted
// documents to `Datastore/save(_:)` and `writeEach(_:isReplicated:)`, which do not validate again.

/// The rejection of a write by a rule. It becomes the `cause` of the ``StoreError`` that the write throws.
package protocol WriteRefusal: Error {
    /// The HTTP status of CouchDB's response for the document in a bulk write.
    var statusOfRefusal: Int { get }
    /// CouchDB's error name, for example `forbidden`.
    var error: String { get }
    /// The reason that the rule gave.
    var reason: String { get }
}

/// Supplies the rules that validate the writes of a database.
package protocol WriteValidator: Sendable {
    /// The current rules of a database; `nil` for none. Called before each write, so an implementation should cache the
    /// rules.
    func rules(of datastore: Datastore) throws -> (any WriteRules)?
}

/// The rules that validate the writes of a database.
package protocol WriteRules: Sendable {
    /// Validates documents. Returns for each document the error that rejects it; `nil` if the document is accepted.
    func refusals(of documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?]

    /// Validates a document within a transaction, on the writer's thread. Returns the error that rejects the document;
    /// `nil` if it is accepted.
    ///
    /// - Parameter table: The documents, including the changes of the transaction.
    func refusal(of document: IncomingDocument, in table: DocumentTable) throws -> StoreError?
}
