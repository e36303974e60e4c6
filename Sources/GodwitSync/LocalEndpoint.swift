//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// A datastore of this process as one side of a replication.
public struct LocalEndpoint: DatabaseEndpoint {
    private let datastore: Datastore

    /// Creates an endpoint for an open datastore.
    public init(_ datastore: Datastore) { self.datastore = datastore }

    /// The database's own random number.
    public func identity() async throws(ReplicationError) -> String { "godwit:\(datastore.identity.instance)" }

    /// A datastore that is open is there.
    public func open(creating: Bool) async throws(ReplicationError) {}

    /// See ``DatabaseEndpoint/changes(after:limit:)``.
    public func changes(after sequence: String?, limit: Int) async throws(ReplicationError) -> ChangesPage {
        let since = sequence.flatMap { UpdateSequence($0) } ?? .zero
        var last = datastore.start(of: since)
        var changes: [RevisionsOfDocument] = []
        var hasMore = true
        while hasMore, changes.count < limit {
            let slice = try stored { () throws(StoreError) in
                try datastore.changes(after: last, detail: .leaves, rowsMax: limit - changes.count)
            }
            changes += slice.rows.map { RevisionsOfDocument(id: $0.id, revisions: $0.leaves.map(\.revision)) }
            last = slice.rows.last?.sequence ?? last
            hasMore = slice.hasMore
        }
        let end = last
        let pending = try stored { () throws(StoreError) in
            try datastore.read { try $0.countChanges(after: end) }
        }
        return ChangesPage(changes: changes, lastSequence: datastore.sequence(last).description, pending: pending)
    }

    /// See ``DatabaseEndpoint/missing(_:)``.
    public func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions] {
        let asked = revisions.map { (id: $0.id, revisions: $0.revisions) }
        return try stored { () throws(StoreError) in try datastore.missing(asked) }
            .map { WantedRevisions(id: $0.id, revisions: $0.missing, knownAncestors: $0.possibleAncestors) }
    }

    /// See ``DatabaseEndpoint/read(_:)``.
    public func read(_ wanted: [WantedRevisions]) async throws(ReplicationError) -> [ReplicatedDocument] {
        var documents: [ReplicatedDocument] = []
        for item in wanted {
            documents += try stored { () throws(StoreError) in
                try datastore.readTogether { try $0.replicated(item) }
            }
        }
        return documents
    }

    /// See ``DatabaseEndpoint/write(_:replication:)``.
    public func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
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
        do throws(StoreError) {
            let outcomes = try await datastore.writeEach(batch, isReplicated: true, source: .replication(id))
            for (document, outcome) in zip(batch, outcomes) {
                guard case .failure(let error) = outcome else { continue }
                failures.append(ReplicationFailure(id: document.id ?? "", revision: document.revision, error))
            }
        } catch {
            throw ReplicationError(error)
        }
        return failures
    }

    /// See ``DatabaseEndpoint/checkpoint(_:)``.
    public func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject? {
        let found = try stored { () throws(StoreError) in try datastore.read { try $0.local(id: id) } }
        // A checkpoint that cannot be read counts as none: the replication begins again and writes a new one.
        return found.flatMap { try? JSONValue(parsing: $0.body).objectValue }
    }

    /// See ``DatabaseEndpoint/saveCheckpoint(_:_:)``.
    public func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError) {
        let text = JSONValue.object(body).jsonBytes()
        do throws(StoreError) {
            let previous = try datastore.read { try $0.local(id: id)?.revision ?? 0 }
            _ = try await datastore.transact { try $0.saveLocal(id: id, previous: previous, body: text) }
        } catch {
            throw ReplicationError(error)
        }
    }

    private func stored<Result>(_ body: () throws(StoreError) -> Result) throws(ReplicationError) -> Result {
        do {
            return try body()
        } catch {
            throw ReplicationError(error)
        }
    }
}

extension ReplicationError {
    init(_ error: StoreError) { self.init(.store, error.message) }
}

extension ReplicationFailure {
    init(id: String, revision: RevisionID?, _ error: StoreError) {
        let (status, word): (Int, String) =
            switch error.code {
            case .missingStub: (412, ReplicationFailure.missingStub)
            case .documentTooLarge: (413, "document_too_large")
            case .invalidDocument, .invalidDocumentID, .invalidJSON, .invalidRevision: (400, "bad_request")
            default: (500, error.code.description)
            }
        self.init(id: id, revision: revision, status: status, error: word, reason: error.message)
    }

    /// CouchDB's word for an attachment that was left out although the other side does not have it.
    static let missingStub = "missing_stub"
}

extension DocumentTable {
    /// The revisions that a replication asks for, or the leaves that took their place.
    fileprivate func replicated(_ wanted: WantedRevisions) throws -> [ReplicatedDocument] {
        guard let row = try row(id: wanted.id) else { return [] }
        let tree = try fullTree(of: row)
        var revisions: [RevisionID] = []
        for revision in wanted.revisions {
            for leaf in leaves(from: revision, in: tree) where !revisions.contains(leaf.revision) {
                revisions.append(leaf.revision)
            }
        }
        return try revisions.compactMap { revision in
            guard let stored = try self.revision(revision, of: row), let index = tree.index(of: revision) else {
                return nil
            }
            var renderer = DocumentRenderer()
            renderer.path = tree.path(from: index)
            renderer.attachments = .inline(unlessIn: wanted.knownAncestors)
            var text = DocumentText()
            renderer.append(stored, to: &text)
            return ReplicatedDocument(id: wanted.id, revision: revision, text: try filled(text))
        }
    }
}
