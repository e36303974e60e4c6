//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
public import GodwitTransport

/// A datastore of this process as one side of a replication.
///
/// The design documents of the datastore validate the documents that a replication writes, as they validate the writes
/// of the app. A server validates these documents by its own rules instead.
public struct LocalEndpoint: DatabaseEndpoint {
    /// Validates documents before they are written. Returns for each document a failure, or `nil` if the document is
    /// valid.
    package typealias Admission = @Sendable (_ documents: [IncomingDocument]) async throws -> [ReplicationFailure?]

    let datastore: Datastore
    let limits: ReplicationLimits
    private var admission: Admission?

    /// Creates an endpoint for an open datastore.
    public init(_ datastore: Datastore, limits: ReplicationLimits = ReplicationLimits()) {
        self.datastore = datastore
        self.limits = limits
    }

    /// Creates an endpoint whose writes are validated by a closure instead of the design documents.
    package init(_ datastore: Datastore, admission: @escaping Admission) {
        self.init(datastore)
        self.admission = admission
    }

    /// See ``DatabaseEndpoint/keepsAbsentAttachments``.
    public var keepsAbsentAttachments: Bool { true }

    /// Returns the text that identifies the database: `godwit:` and a random number.
    public func identity() async throws(ReplicationError) -> String { "godwit:\(datastore.identity.instance)" }

    /// See ``DatabaseEndpoint/instance()``. An open datastore is never replaced. After the loss of its last writes, its
    /// checkpoints are as old as its documents, so the instance remains the same.
    public func instance() async throws(ReplicationError) -> String? { datastore.identity.instance }

    /// See ``DatabaseEndpoint/open(creating:)``. The datastore is open already.
    public func open(creating: Bool) async throws(ReplicationError) -> String? { try await instance() }

    /// See ``DatabaseEndpoint/missing(_:)``.
    public func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions] {
        let revisionLists = revisions.map { (id: $0.id, revisions: $0.revisions) }
        return try stored { () throws(StoreError) in try datastore.missing(revisionLists) }
            .map { WantedRevisions(id: $0.id, revisions: $0.missing, knownAncestors: $0.possibleAncestors) }
    }

    // MARK: Reading

    /// See ``DatabaseEndpoint/read(_:bytesMax:attachmentBytesMax:)``.
    public func read(
        _ wanted: [WantedRevisions], bytesMax: Int, attachmentBytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        var result = RevisionsRead()
        var readBytes = 0
        for (index, requested) in wanted.enumerated() {
            guard readBytes == 0 || readBytes < bytesMax else {
                result.unread = Array(wanted[index...])
                break
            }
            let documents = try stored { () throws(StoreError) in
                try datastore.readTogether { table in
                    try requested.documents(
                        in: table, inlineBytesMax: limits.attachmentsInlineBytesMax,
                        attachmentBytesMax: attachmentBytesMax)
                }
            }
            readBytes += documents.reduce(0) { $0 + $1.bytes }
            result.documents += documents
        }
        return result
    }

    /// See ``DatabaseEndpoint/attachment(_:of:from:)``.
    public func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        let bytes = try stored { () throws(StoreError) -> AttachmentBytes? in
            guard let blob = try datastore.readTogether({ try document.blob(of: attachment, in: $0) }) else {
                return nil
            }
            return try datastore.bytes(of: blob, named: attachment.name, from: start)
        }
        guard let bytes else {
            throw ReplicationError(
                .attachmentRefused, "attachment \(attachment.name): the revision was removed", status: 404)
        }
        return AttachmentStream(start: start, bytes)
    }

    // MARK: Writing

    /// See ``DatabaseEndpoint/write(_:replication:)``.
    public func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
        var failures: [ReplicationFailure] = []
        var batch: [IncomingDocument] = []
        batch.reserveCapacity(documents.count)
        for document in documents {
            do throws(StoreError) {
                batch.append(try incoming(document))
            } catch {
                failures.append(ReplicationFailure(id: document.id, revision: document.revision, error))
            }
        }
        return failures + (try await write(batch, replication: id))
    }

    /// See ``DatabaseEndpoint/carry(_:by:replication:)``.
    public func carry(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure? {
        var incoming: IncomingDocument
        do throws(StoreError) {
            incoming = try self.incoming(document)
        } catch {
            return ReplicationFailure(id: document.id, revision: document.revision, error)
        }
        var blobs: [StoredBlob] = []
        for attachment in document.attachments {
            if let blob = carrier.leftOut(attachment) {
                incoming.setAttachment(
                    .absent(
                        name: attachment.name, contentType: attachment.contentType, blob: blob,
                        revisionPosition: attachment.revisionPosition))
                continue
            }
            let blob = try await carrier.store(attachment, of: document, in: datastore)
            blobs.append(blob)
            incoming.setAttachment(
                .stored(
                    name: attachment.name, contentType: attachment.contentType, blob: blob,
                    revisionPosition: attachment.revisionPosition))
        }
        defer { carrier.forget(document) }
        let failure = try await write([incoming], replication: id).first
        if let failure, !failure.isTransient { try await forget(blobs) }
        return failure
    }

    /// Releases the attachments of a document that was refused.
    private func forget(_ blobs: [StoredBlob]) async throws(ReplicationError) {
        do throws(StoreError) {
            try await datastore.forgetArrivals(blobs)
        } catch {
            throw ReplicationError(error)
        }
    }

    private func incoming(_ document: ReplicatedDocument) throws(StoreError) -> IncomingDocument {
        var incoming = try IncomingDocument(
            parsing: document.text, purpose: .replication, limits: datastore.limits)
        incoming.id = document.id
        for arrived in document.arrived {
            incoming.setAttachment(
                .inline(
                    name: arrived.attachment.name, contentType: arrived.attachment.contentType, bytes: arrived.bytes,
                    revisionPosition: arrived.attachment.revisionPosition))
        }
        return incoming
    }

    private func write(
        _ batch: [IncomingDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
        let refusals = try await refusals(of: batch)
        let batch = zip(batch, refusals).filter { $1 == nil }.map(\.0)
        return try await refusals.compactMap { $0 } + writeAuthorized(batch, replication: id)
    }

    private func refusals(of batch: [IncomingDocument]) async throws(ReplicationError) -> [ReplicationFailure?] {
        guard !batch.isEmpty else { return [] }
        do {
            if let admission { return try await admission(batch) }
            return zip(batch, try await datastore.refusals(of: batch)).map { document, refusal in
                refusal.map { ReplicationFailure(id: document.id ?? "", revision: document.revision, $0) }
            }
        } catch {
            throw ReplicationError(.store, "the documents cannot be validated: \(error)")
        }
    }

    private func writeAuthorized(
        _ batch: [IncomingDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
        guard !batch.isEmpty else { return [] }
        do throws(StoreError) {
            let outcomes = try await datastore.writeEach(batch, isReplicated: true, source: .replication(id))
            return zip(batch, outcomes).compactMap { document, outcome in
                guard case .failure(let error) = outcome else { return nil }
                return ReplicationFailure(id: document.id ?? "", revision: document.revision, error)
            }
        } catch {
            throw ReplicationError(error)
        }
    }

    /// See ``DatabaseEndpoint/designDocument(_:)``.
    public func designDocument(_ name: String) async throws(ReplicationError) -> JSONObject? {
        let row = try stored { () throws(StoreError) in
            try datastore.read { try $0.row(id: DocumentID.designPrefix + name) }
        }
        guard let row, !row.winner.isDeleted else { return nil }
        return try? JSONValue(parsing: row.body, limits: datastore.limits.json).objectValue
    }

    // MARK: Checkpoints

    /// See ``DatabaseEndpoint/checkpoint(_:)``.
    public func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject? {
        let localDocument = try stored { () throws(StoreError) in try datastore.read { try $0.local(id: id) } }
        // A checkpoint that cannot be parsed is treated as absent, so the replication starts from the beginning and
        // saves a new checkpoint.
        return localDocument.flatMap { try? JSONValue(parsing: $0.body).objectValue }
    }

    /// See ``DatabaseEndpoint/saveCheckpoint(_:_:)``.
    public func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError) {
        let bodyBytes = JSONValue.object(body).jsonBytes()
        do throws(StoreError) {
            let previous = try datastore.read { try $0.local(id: id)?.revision ?? 0 }
            _ = try await datastore.transact { try $0.saveLocal(id: id, previous: previous, body: bodyBytes) }
        } catch {
            // Another replication of the same databases saved a checkpoint in the meantime. That checkpoint is
            // sufficient, so this checkpoint is not saved.
            guard error.code == .conflict else { throw ReplicationError(error) }
        }
    }

    func stored<Result>(_ body: () throws(StoreError) -> Result) throws(ReplicationError) -> Result {
        do {
            return try body()
        } catch {
            throw ReplicationError(error)
        }
    }
}

extension WantedRevisions {
    /// Reads the requested revisions. If a requested revision is no longer a leaf, the leaves that descend from it are
    /// read instead. Revisions whose bodies are not stored are omitted.
    fileprivate func documents(
        in table: DocumentTable, inlineBytesMax: Int, attachmentBytesMax: Int
    ) throws -> [ReplicatedDocument] {
        guard let row = try table.row(id: id) else { return [] }
        let tree = try table.fullTree(of: row)
        var leaves: [RevisionID] = []
        for revision in revisions {
            for leaf in table.leaves(from: revision, in: tree) where !leaves.contains(leaf.revision) {
                leaves.append(leaf.revision)
            }
        }
        return try leaves.compactMap { revision in
            guard let stored = try table.revision(revision, of: row), let index = tree.index(of: revision) else {
                return nil
            }
            var renderer = DocumentRenderer()
            let path = tree.path(from: index)
            renderer.path = path
            var separateAttachments: [ReplicatedAttachment] = []
            var absentNames: [String] = []
            if !stored.attachments.isEmpty {
                renderer.attachments = .inline(unlessIn: knownAncestors.filter(path.contains))
                let needed = stored.attachments.filter(renderer.shows)
                absentNames = stored.attachments.filter { $0.blob.isAbsent && renderer.isNeeded($0) }.map(\.name)
                if needed.reduce(0, { $0 + $1.blob.length }) > inlineBytesMax
                    || needed.contains(where: { $0.blob.length > attachmentBytesMax })
                {
                    renderer.attachments = .stubs
                    separateAttachments = needed.map(ReplicatedAttachment.init)
                }
            }
            var text = DocumentText()
            renderer.append(stored, to: &text)
            var document = ReplicatedDocument(
                id: id, revision: revision, text: try table.filled(text), attachments: separateAttachments)
            document.absentAttachments = absentNames
            return document
        }
    }
}

extension ReplicatedDocument {
    /// The stored bytes of an attachment of this revision, or `nil` if they are no longer in the database.
    fileprivate func blob(of attachment: ReplicatedAttachment, in table: DocumentTable) throws -> StoredBlob? {
        guard let row = try table.row(id: id), let stored = try table.revision(revision, of: row) else {
            return nil
        }
        return stored.attachments.first { $0.isNamed(attachment.name) }?.blob
    }
}

extension ReplicatedAttachment {
    fileprivate init(_ record: AttachmentRecord) {
        self.init(
            name: record.name, contentType: record.contentType, length: record.blob.length,
            digest: record.blob.md5Text, revisionPosition: record.revisionPosition)
    }
}
