//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// What a database's design documents say against writes is worked out by functions, which may take long and are foreign: an
// edit is held against them before it waits for the writer, with the revision that it follows. That revision's body never
// changes, and an edit of a revision that is no leaf any more is a conflict, so what was found holds until the commit. A
// design document that comes meanwhile counts from the next write on, as in CouchDB. What several edits make of the state
// of the database (a resolution, a deletion with all conflicts) is made once more by the writer, and is asked about anew when
// it differs.
//
// A write of the caller's own closure is the exception: what it writes is known within the transaction alone, so there the
// writer waits for the functions.
//
// The server holds requests against the same functions, as whoever asks. What it hands to the store is not asked about again:
// `Datastore/save(_:)` and `writeEach(_:isReplicated:)` of incoming documents ask nothing.

/// What a rule said against a write: the cause of a ``StoreError`` that refuses it.
package protocol WriteRefusal: Error {
    /// The status of CouchDB's answer for a document of a bulk write.
    var statusOfRefusal: Int { get }
    /// CouchDB's word for it, for example `forbidden`.
    var error: String { get }
    /// What was said.
    var reason: String { get }
}

/// Finds the rules that the writes of a database are held against.
package protocol WriteValidator: Sendable {
    /// The rules of a database as they are now; `nil` when there are none. Asked before each write, so it should remember.
    func rules(of datastore: Datastore) throws -> (any WriteRules)?
}

/// What the writes of a database are held against.
package protocol WriteRules: Sendable {
    /// What speaks against each of some writes; `nil` where nothing does.
    func refusals(of documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?]

    /// What speaks against a write in the midst of a transaction, on the writer's thread; `nil` when nothing does.
    ///
    /// - Parameter table: The documents as the transaction has left them.
    func refusal(of document: IncomingDocument, in table: DocumentTable) throws -> StoreError?
}
