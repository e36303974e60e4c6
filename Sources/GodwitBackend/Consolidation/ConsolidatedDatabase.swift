//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync

/// The database of all users' changes: what was taken of each user's is kept beside it, by the commit that wrote it.
struct ConsolidatedDatabase: Sendable {
    static let replication = "consolidation"
    private static let checkpointID = "consolidation"

    private let datastore: Datastore

    init(_ datastore: Datastore) { self.datastore = datastore }

    /// It takes what the users' databases took.
    var endpoint: LocalEndpoint { LocalEndpoint(datastore) { documents in documents.map { _ in nil } } }

    // MARK: A user's database

    private static func checkpointID(_ database: String) -> String { "consolidated:\(database)" }

    /// How far a user's database was taken; `nil` for its beginning, also when it is another one of the same name.
    func checkpoint(of source: Datastore) throws -> String? {
        guard let body = try datastore.read({ try $0.local(id: Self.checkpointID(source.name)) })?.body else {
            return nil
        }
        let value = try JSONValue(parsing: body)
        guard value["instance"]?.stringValue == source.identity.instance else { return nil }
        return value["sequence"]?.stringValue
    }

    /// Writes revisions, and how far the user's database was taken with them, unless one of them may be written later.
    ///
    /// - Returns: Those that cannot be written, with the reason.
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
            note: BatchNote(id: Self.checkpointID(source.name), body: note.jsonBytes()) { outcome in
                guard case .failure(let error) = outcome else { return true }
                return !ReplicationFailure(id: "", revision: nil, error).mayPass
            })
        for (document, outcome) in zip(batch, outcomes) {
            guard case .failure(let error) = outcome else { continue }
            failures.append(ReplicationFailure(id: document.id ?? "", revision: document.revision, error))
        }
        return failures
    }

    /// Removes all that came from a user, to the last revision.
    ///
    /// - Parameter database: The user's.
    func purge(_ user: String, _ database: String) async throws {
        let prefix = OwnedEndpoint.prefix(of: user)
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

    /// How far the journal of databases was consolidated, and the databases before that place that were not.
    func position() throws -> (sequence: Int64, behind: [String]) {
        guard let body = try datastore.read({ try $0.local(id: Self.checkpointID) })?.body else { return (0, []) }
        let value = try JSONValue(parsing: body)
        return (
            value["sequence"]?.intValue.map(Int64.init) ?? 0,
            value["behind"]?.arrayValue?.compactMap(\.stringValue) ?? []
        )
    }

    func notePlace(_ sequence: Int64, behind: [String]) async throws {
        let body: JSONValue = ["sequence": .integer(sequence), "behind": .array(behind.map { .string($0) })]
        try await datastore.transact { transaction in
            let previous = try transaction.documents.local(id: Self.checkpointID)?.revision ?? 0
            _ = try transaction.saveLocal(id: Self.checkpointID, previous: previous, body: body.jsonBytes())
        }
    }
}

extension ReplicationFailure {
    /// Whether the document may be taken when it is tried again. Of one that is damaged that is not to be hoped, and what
    /// comes after it shall not wait.
    var mayPass: Bool { isTransient && error != StoreError.Code.corrupt.description }
}
