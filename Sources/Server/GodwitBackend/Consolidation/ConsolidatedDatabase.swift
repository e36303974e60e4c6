//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync

/// The database that contains the changes of all users. Each transaction that writes changes from a user's database
/// also stores the checkpoint of that database.
struct ConsolidatedDatabase: Sendable {
    static let replication = "consolidation"
    private static let checkpointID = "consolidation"

    private let datastore: Datastore

    init(_ datastore: Datastore) { self.datastore = datastore }

    /// The endpoint that writes the documents. It does not validate them, because they were validated when they were
    /// written to the users' databases.
    var endpoint: LocalEndpoint { LocalEndpoint(datastore) { documents in documents.map { _ in nil } } }

    // MARK: A user's database

    private static func checkpointID(_ database: String) -> String { "consolidated:\(database)" }

    /// Returns the checkpoint of a user's database. If it is `nil`, the consolidation begins at the first change. It is
    /// `nil` when no checkpoint is stored. It is also `nil` when the stored checkpoint belongs to a deleted database
    /// that had the same name.
    func checkpoint(of source: Datastore) throws -> String? {
        guard let body = try datastore.read({ try $0.local(id: Self.checkpointID(source.name)) })?.body else {
            return nil
        }
        let value = try JSONValue(parsing: body)
        guard ExactText.areEqual(value["instance"]?.stringValue, source.identity.instance) else { return nil }
        return value["sequence"]?.stringValue
    }

    /// Writes revisions, and the checkpoint of the user's database. However, the checkpoint is not stored if one of the
    /// revisions cannot be written now but perhaps by a later attempt.
    ///
    /// - Returns: The revisions that could not be written, with the reasons.
    func write(
        _ documents: [ReplicatedDocument], from source: Datastore, upTo sequence: String
    ) async throws -> [ReplicationFailure] {
        var failures: [ReplicationFailure] = []
        var batch: [IncomingDocument] = []
        for document in documents {
            do throws(StoreError) {
                var incoming = try IncomingDocument(
                    parsing: document.text, purpose: .replication, limits: datastore.limits)
                incoming.id = document.id
                batch.append(incoming)
            } catch {
                failures.append(ReplicationFailure(id: document.id, revision: document.revision, error))
            }
        }
        let note: JSONValue = ["instance": .string(source.identity.instance), "sequence": .string(sequence)]
        let outcomes = try await datastore.writeEach(
            batch, isReplicated: true, source: .replication(Self.replication),
            note: BatchRecord(id: Self.checkpointID(source.name), body: note.jsonBytes()) { outcome in
                guard case .failure(let error) = outcome else { return true }
                return !ReplicationFailure(id: "", revision: nil, error).mayRetry
            })
        for (document, outcome) in zip(batch, outcomes) {
            guard case .failure(let error) = outcome else { continue }
            failures.append(ReplicationFailure(id: document.id ?? "", revision: document.revision, error))
        }
        return failures
    }

    /// Removes all revisions of a user's documents, and the checkpoint of the user's database.
    ///
    /// - Parameter database: The name of the user's database.
    func purge(_ user: String, _ database: String) async throws {
        let prefix = PrefixingEndpoint.prefix(of: user)
        while true {
            let ids = try datastore.read {
                try $0.ids(beginningWith: prefix, rowsMax: BackendLimits.purgedTogetherMax)
            }
            guard !ids.isEmpty else { break }
            try await datastore.transact { transaction in for id in ids { _ = try transaction.purge(id) } }
        }
        try await datastore.transact { transaction in
            let id = Self.checkpointID(database)
            try transaction.removeLocal(id: id)
        }
    }

    // MARK: The journal of databases

    /// Returns the sequence up to which the changes in the journal of databases are consolidated. Also returns the
    /// exceptions: the names of the databases whose changes before this sequence are not consolidated yet.
    func position() throws -> (sequence: Int64, behind: [String]) {
        guard let body = try datastore.read({ try $0.local(id: Self.checkpointID) })?.body else { return (0, []) }
        let value = try JSONValue(parsing: body)
        return (
            value["sequence"]?.intValue.map(Int64.init) ?? 0,
            value["behind"]?.arrayValue?.compactMap(\.stringValue) ?? []
        )
    }

    func storeCheckpoint(_ sequence: Int64, behind: [String]) async throws {
        let body: JSONValue = ["sequence": .integer(sequence), "behind": .array(behind.map { .string($0) })]
        try await datastore.transact { transaction in
            let previous = try transaction.documents.local(id: Self.checkpointID)?.revision ?? 0
            _ = try transaction.saveLocal(id: Self.checkpointID, previous: previous, body: body.jsonBytes())
        }
    }
}

extension ReplicationFailure {
    /// Whether a later attempt to write the document may succeed. `false` for a damaged document, because later
    /// documents must not wait for it.
    // Exact: the names of errors are ASCII.
    var mayRetry: Bool { isTransient && error != StoreError.Code.corrupt.description }
}
