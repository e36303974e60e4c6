//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
public import GodwitTransport

extension Datastore {
    /// Fetches the bytes of an attachment that a replication did not copy (``Replicator/attachmentBytesMax``).
    ///
    /// The document keeps its revision, and appears again in the changes feed. Therefore, observers learn that the
    /// bytes are present, and a push sends the bytes to databases that do not have them. If the connection is lost,
    /// only the bytes in transfer are fetched again. Does nothing if the bytes are already present.
    ///
    /// ```swift
    /// let photo = try await trips.fetch("photo.jpg", of: id, from: remote) { bytes, total in
    ///     print("\(bytes)/\(total)")
    /// }
    /// for try await piece in try trips.bytes(of: photo) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the attachment.
    ///   - id: The id of the document.
    ///   - revision: A leaf of the document. By default, the winner is fetched.
    ///   - endpoint: The database with the bytes. This database must have the given revision, or another descendant of
    ///     the revision that added the attachment.
    ///   - limits: The number of attempts and the waits between them. After an attempt that made progress, the attempts
    ///     are counted from 1 again.
    ///   - onProgress: Called with the number of bytes that are present, and the length of the attachment. The number
    ///     decreases if bytes must be fetched again.
    /// - Returns: The attachment with its bytes.
    /// - Throws: ``ReplicationError`` with these codes, and with other codes if one of the databases fails:
    ///   - ``ReplicationError/Code/attachmentRefused`` if the other side no longer has these bytes.
    ///   - ``ReplicationError/Code/store`` if the document, the leaf or the attachment does not exist here, or if it
    ///     changed during the fetch.
    @discardableResult
    public func fetch(
        _ name: String, of id: String, at revision: RevisionID? = nil, from endpoint: any DatabaseEndpoint,
        limits: ReplicationLimits = ReplicationLimits(),
        onProgress: @escaping @Sendable (_ bytes: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(ReplicationError) -> Attachment {
        let wanted = try leafAttachment(name, of: id, at: revision)
        guard wanted.record.blob.isAbsent else { return Attachment(wanted.record) }
        let fetch = AttachmentFetch(
            datastore: self, id: id, wanted: wanted, endpoint: endpoint, limits: limits, onProgress: onProgress)
        return try await fill(wanted, of: id, at: revision, with: try await fetch.run())
    }

    /// Stores the bytes of an attachment that a pull did not download, from a file that was downloaded in another way.
    /// If the bytes are already here, does nothing.
    ///
    /// - Parameters:
    ///   - path: The path of the file. It is not removed.
    ///   - name: The name of the attachment.
    ///   - id: The id of the document.
    ///   - revision: The leaf that has the attachment; `nil` for the winner.
    /// - Returns: The attachment with its bytes.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/attachmentRefused`` if the file has other bytes
    ///   than the attachment, or with code ``ReplicationError/Code/store`` as ``fetch(_:of:at:from:limits:onProgress:)``.
    @discardableResult
    public func fill(
        _ name: String, of id: String, at revision: RevisionID? = nil, fromFile path: String
    ) async throws(ReplicationError) -> Attachment {
        let wanted = try leafAttachment(name, of: id, at: revision)
        guard wanted.record.blob.isAbsent else { return Attachment(wanted.record) }
        let blob = try await storedFile(path)
        guard blob.length == wanted.record.blob.length, blob.md5 == wanted.record.blob.md5 else {
            endUploads([blob])
            throw ReplicationError(
                .attachmentRefused, "\(id), attachment \(name): \(path) has other bytes. Download it again.")
        }
        return try await fill(wanted, of: id, at: revision, with: blob)
    }

    private func storedFile(_ path: String) async throws(ReplicationError) -> StoredBlob {
        do throws(StoreError) {
            let attachment = try await upload(.file(path, contentType: "application/octet-stream"))
            guard case .uploaded(let blob) = attachment.content else {
                throw StoreError(.storage, "\(path) could not be stored")
            }
            return blob
        } catch {
            throw ReplicationError(error)
        }
    }

    private func fill(
        _ wanted: LeafAttachment, of id: String, at revision: RevisionID?, with blob: StoredBlob
    ) async throws(ReplicationError) -> Attachment {
        let filled: AttachmentRecord?
        do throws(StoreError) {
            filled = try await transact { try $0.fill(wanted.record, of: id, with: blob) }
        } catch {
            throw ReplicationError(error)
        }
        if let filled { return Attachment(filled) }
        // The bytes were not added to the document, because another call has already fetched them, or because the
        // document has changed.
        let name = wanted.record.name
        let current = try leafAttachment(name, of: id, at: revision)
        guard !current.record.blob.isAbsent else {
            throw ReplicationError(.store, "\(id), attachment \(name): it changed in the meantime. Fetch it again.")
        }
        return Attachment(current.record)
    }

    /// Returns the revisions at which another database may have the bytes of an absent attachment, the leaf first; `nil`
    /// if the bytes are already here.
    package func revisions(
        ofAbsent name: String, of id: String, at revision: RevisionID?
    ) throws(ReplicationError) -> [RevisionID]? {
        let wanted = try leafAttachment(name, of: id, at: revision)
        return wanted.record.blob.isAbsent ? wanted.knownRevisions : nil
    }

    private func leafAttachment(
        _ name: String, of id: String, at revision: RevisionID?
    ) throws(ReplicationError) -> LeafAttachment {
        do throws(StoreError) {
            return try readTogether { try $0.leafAttachment(name, of: id, at: revision) }
        } catch {
            throw ReplicationError(error)
        }
    }
}

/// Fetches one attachment, with further attempts after failures.
private struct AttachmentFetch {
    let datastore: Datastore
    let id: String
    let wanted: LeafAttachment
    let endpoint: any DatabaseEndpoint
    let limits: ReplicationLimits
    /// The number of bytes that are present.
    private let count: FetchCount
    private let carrier: AttachmentCarrier

    init(
        datastore: Datastore, id: String, wanted: LeafAttachment, endpoint: any DatabaseEndpoint,
        limits: ReplicationLimits, onProgress: @escaping @Sendable (Int, Int) -> Void
    ) {
        self.datastore = datastore
        self.id = id
        self.wanted = wanted
        self.endpoint = endpoint
        self.limits = limits
        let count = FetchCount()
        let total = wanted.record.blob.length
        self.count = count
        carrier = AttachmentCarrier(source: endpoint) { onProgress(count.add($0), total) }
    }

    private var subject: String { "\(id), attachment \(wanted.record.name)" }

    func run() async throws(ReplicationError) -> StoredBlob {
        var backoff = Backoff(limits: limits, seed: UInt64.random(in: .min ... .max))
        var origin: (document: ReplicatedDocument, attachment: ReplicatedAttachment)?
        var (failures, lastMax) = (0, 0)
        while true {
            do throws(ReplicationError) {
                if origin == nil { origin = try await findOrigin() }
                return try await carrier.store(origin!.attachment, of: origin!.document, in: datastore)
            } catch {
                // An attempt with progress resets the number of failures. The loop ends nevertheless, because the
                // number of present bytes cannot exceed the length of the attachment.
                failures = count.most > lastMax ? 1 : failures + 1
                lastMax = count.most
                guard error.isTransient, failures < limits.attemptsMax else { throw error }
                try await wait(backoff.seconds(after: failures, error))
            }
        }
    }

    private func wait(_ seconds: Double) async throws(ReplicationError) {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            throw ReplicationError(reading: error, subject)
        }
    }

    /// Finds, at the other side, a revision with the bytes, and the description of the attachment in this revision.
    private func findOrigin() async throws(ReplicationError) -> (ReplicatedDocument, ReplicatedAttachment) {
        let wantedRevisions = WantedRevisions(id: id, revisions: wanted.knownRevisions)
        let result = try await endpoint.read([wantedRevisions], bytesMax: limits.readBytesMax, attachmentBytesMax: 0)
        let blob = wanted.record.blob
        for document in result.documents {
            let attachment = document.attachments.first { attachment in
                wanted.record.isNamed(attachment.name) && attachment.length == blob.length
                    && attachment.digest.isIdenticalText(to: blob.md5Text)
            }
            if let attachment { return (document, attachment) }
        }
        let refusal = result.failures.first { $0.status != 404 }?.reason
        throw ReplicationError(
            .attachmentRefused,
            "\(subject): "
                + (refusal
                    ?? "no revision there has these bytes under this name any more. Replicate, then fetch it again."),
            status: 404)
    }
}

/// Counts the bytes of one attachment that are present.
private final class FetchCount: Sendable {
    private let state = Mutex((count: 0, most: 0))

    /// The maximum of the count so far.
    var most: Int { state.withLock { $0.most } }

    /// Adds bytes that arrived, and returns the count.
    func add(_ bytes: Int) -> Int {
        state.withLock { state in
            state.count += bytes
            state.most = max(state.most, state.count)
            return state.count
        }
    }
}
