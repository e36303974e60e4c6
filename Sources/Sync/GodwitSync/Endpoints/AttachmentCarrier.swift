//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport

/// Transfers large attachments from the source of a replication.
///
/// After a lost connection, or in a later run, a transfer continues at the first missing byte, even within an
/// attachment. Attachments of a document that the target already has are not transferred again.
public final class AttachmentCarrier: Sendable {
    private let source: any DatabaseEndpoint
    /// Maps the id of a document of the target to its id at the source.
    private let sourceID: @Sendable (String) -> String
    private let bytesMax: Int
    private let onBytes: @Sendable (Int) -> Void
    /// The states of attachments whose documents are not written yet.
    private let transfers = Mutex<[Key: Transfer]>([:])

    private struct Key: Hashable {
        let document: ExactText
        let revision: RevisionID
        let name: ExactText
        let announced: AnnouncedBytes?

        init(_ document: ReplicatedDocument, _ attachment: ReplicatedAttachment) {
            self.document = ExactText(document.id)
            revision = document.revision
            name = ExactText(attachment.name)
            announced = attachment.announced
        }
    }

    private struct Transfer {
        /// The number of bytes that were last reported to `onBytes`.
        var reportedCount = 0
        /// The number of bytes that the target had at the beginning of an attempt. Of all attempts so far, this is the
        /// largest number.
        var targetCount = 0
        /// Whether the attachment is being sent.
        var isBeingSent = false
        /// The stored attachment, when all bytes are present.
        var blob: StoredBlob?
    }

    /// Creates a carrier.
    ///
    /// - Parameters:
    ///   - source: The database with the attachments.
    ///   - bytesMax: The maximum length of attachments that are copied. If the target does not support absent
    ///     attachments, all attachments are copied.
    ///   - onBytes: Called with the number of additional bytes that are present. Bytes that an earlier run transferred
    ///     are included. The number is negative if bytes must be transferred again.
    public convenience init(
        source: any DatabaseEndpoint, bytesMax: Int = .max, onBytes: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.init(source: source, sourceID: { $0 }, bytesMax: bytesMax, onBytes: onBytes)
    }

    /// Creates a carrier for a target whose document ids differ from the ids at the source.
    ///
    /// - Parameter sourceID: Maps the id of a document of the target to its id at the source.
    package init(
        source: any DatabaseEndpoint, sourceID: @escaping @Sendable (String) -> String, bytesMax: Int = .max,
        onBytes: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.source = source
        self.sourceID = sourceID
        self.bytesMax = bytesMax
        self.onBytes = onBytes
    }

    private func sourceDocument(_ document: ReplicatedDocument) -> ReplicatedDocument {
        ReplicatedDocument(
            id: sourceID(document.id), revision: document.revision, text: [], attachments: document.attachments)
    }

    /// Returns the placeholder for an attachment that is not copied, or `nil` if the attachment is copied.
    ///
    /// An attachment without an MD5 digest is always copied, because without the digest its bytes could not be
    /// identified later.
    func leftOut(_ attachment: ReplicatedAttachment) -> StoredBlob? {
        guard attachment.length > bytesMax else { return nil }
        return StoredBlob.absent(length: attachment.length, md5Text: attachment.digest)
    }

    /// Copies an attachment to a datastore.
    ///
    /// After a failure, the datastore keeps the bytes that arrived. The next call, of this or another carrier,
    /// continues after these bytes. The datastore keeps nothing if the source announces no MD5 digest of the
    /// uncompressed bytes.
    ///
    /// - Throws: ``ReplicationError``. Its code is `badResponse` if the bytes differ from the announced bytes.
    func store(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, in datastore: Datastore
    ) async throws(ReplicationError) -> StoredBlob {
        let key = Key(document, attachment)
        if let blob = transfers.withLock({ $0[key]?.blob }) { return blob }
        var attempt = try await copyBytes(attachment, of: document, as: key, into: datastore)
        // The bytes of an earlier attempt may have been wrong. They are deleted now, and the transfer starts again from
        // the beginning.
        if case .spoilt(_, let earlierCount) = attempt, earlierCount > 0 {
            attempt = try await copyBytes(attachment, of: document, as: key, into: datastore)
        }
        switch attempt {
        case .blob(let blob):
            transfers.withLock { $0[key]?.blob = blob }
            return blob
        case .spoilt(let fault, _):
            throw ReplicationError(.badResponse, "\(document.id), attachment \(attachment.name): \(fault)")
        }
    }

    private enum CopyAttempt {
        case blob(StoredBlob)
        /// The bytes differ from the announced bytes. `kept` is the number of bytes from an earlier attempt.
        case spoilt(String, kept: Int)
    }

    private func copyBytes(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, as key: Key, into datastore: Datastore
    ) async throws(ReplicationError) -> CopyAttempt {
        var upload = try await upload(of: attachment, to: datastore)
        let earlierCount = upload.length
        recordPresentBytes(earlierCount, of: key)
        do throws(ReplicationError) {
            if earlierCount < attachment.length || attachment.length == 0 {
                try await readRemainder(attachment, of: document, as: key, into: &upload)
            }
            let blob = try await finish(&upload)
            guard let blob else {
                recordPresentBytes(0, of: key)
                return .spoilt("its bytes do not have the announced digest, \(attachment.digest)", kept: earlierCount)
            }
            if let fault = attachment.fault(length: blob.length, md5Text: blob.md5Text) {
                recordPresentBytes(0, of: key)
                return .spoilt(fault, kept: 0)
            }
            return .blob(blob)
        } catch {
            var error = error
            error.hasMovedOn = upload.length > earlierCount
            await upload.suspend()
            throw error
        }
    }

    private func upload(
        of attachment: ReplicatedAttachment, to datastore: Datastore
    ) async throws(ReplicationError) -> AttachmentUpload {
        guard let announced = attachment.announced else { return datastore.upload() }
        do throws(StoreError) {
            return try await datastore.upload(of: announced)
        } catch {
            throw ReplicationError(error)
        }
    }

    /// - Returns: `nil` if the bytes differ from the announced bytes.
    private func finish(_ upload: inout AttachmentUpload) async throws(ReplicationError) -> StoredBlob? {
        do throws(StoreError) {
            return try await upload.finish()
        } catch {
            guard error.code == .digestMismatch else { throw ReplicationError(error) }
            return nil
        }
    }

    /// Records the number of bytes of an attachment that are present, and reports by how much this number has changed
    /// since the last report.
    private func recordPresentBytes(_ presentCount: Int, of key: Key) {
        let change = transfers.withLock { transfers in
            defer { transfers[key, default: Transfer()].reportedCount = presentCount }
            return presentCount - (transfers[key]?.reportedCount ?? 0)
        }
        if change != 0 { onBytes(change) }
    }

    /// Removes the state of a document that was written or refused.
    func forget(_ document: ReplicatedDocument) {
        transfers.withLock { transfers in
            for attachment in document.attachments { transfers[Key(document, attachment)] = nil }
        }
    }

    private func readRemainder(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, as key: Key,
        into upload: inout AttachmentUpload
    ) async throws(ReplicationError) {
        let stream = try await source.attachment(attachment, of: sourceDocument(document), from: upload.length)
        do {
            if stream.start != upload.length {
                try await upload.restart()
                recordPresentBytes(0, of: key)
            }
            for try await piece in stream {
                guard upload.length + piece.count <= attachment.length else {
                    throw ReplicationError(
                        .badResponse,
                        "\(document.id), attachment \(attachment.name): more bytes were received than announced")
                }
                try await upload.append(piece)
                recordPresentBytes(upload.length, of: key)
            }
        } catch let error as StoreError {
            // The datastore deletes partial uploads after some time. If it has deleted this upload, a transient error
            // is thrown, so that the transfer starts again from the beginning.
            throw error.code == .notFound ? ReplicationError(.network, error.message) : ReplicationError(error)
        } catch {
            throw ReplicationError(reading: error, "\(document.id), attachment \(attachment.name)")
        }
        guard upload.length == attachment.length else {
            throw ReplicationError(
                .network,
                "\(document.id), attachment \(attachment.name): the connection ended after \(upload.length) "
                    + "of \(attachment.length) bytes")
        }
    }

    // MARK: Sending

    /// Whether an attempt to send a document has begun, and the document is neither written nor refused.
    func wasSent(_ document: ReplicatedDocument) -> Bool {
        transfers.withLock { transfers in document.attachments.contains { transfers[Key(document, $0)] != nil } }
    }

    /// Whether the bytes of an attachment are being sent, with this or another document.
    func isBeingSent(_ attachment: ReplicatedAttachment) -> Bool {
        transfers.withLock { transfers in
            transfers.contains { key, value in value.isBeingSent && key.announced == attachment.announced }
        }
    }

    /// Records that an attempt to send a document failed.
    func end(_ document: ReplicatedDocument) {
        transfers.withLock { transfers in
            for attachment in document.attachments { transfers[Key(document, attachment)]?.isBeingSent = false }
        }
    }

    /// Records that a document's attachments are being sent.
    ///
    /// - Parameter starts: For each attachment, the number of its bytes that the target has; `nil` if the target has
    ///   none.
    /// - Returns: Whether the target has more bytes of an attachment than at the beginning of each earlier attempt.
    func begin(_ document: ReplicatedDocument, at starts: [Int?]) -> Bool {
        var hasMore = false
        for (attachment, start) in zip(document.attachments, starts) {
            let (key, start) = (Key(document, attachment), start ?? 0)
            recordPresentBytes(start, of: key)
            transfers.withLock { transfers in
                transfers[key]?.isBeingSent = true
                guard start > transfers[key]?.targetCount ?? 0 else { return }
                transfers[key]?.targetCount = start
                hasMore = true
            }
        }
        return hasMore
    }

    /// Returns the bytes of an attachment from an offset on. The caller can send the first bytes while later bytes
    /// still arrive from the source.
    ///
    /// At the end, the sequence throws an error if the length of the attachment differs from the announced length. The
    /// error aborts the request. If all bytes were read from the source, the sequence also compares their digest.
    ///
    /// - Throws: ``ReplicationError`` if the source fails, or sends bytes that begin after the offset.
    func stream(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        let key = Key(document, attachment)
        recordPresentBytes(start, of: key)
        // If all bytes are present, nothing is requested, because a source may refuse a range that begins at the end of
        // the attachment.
        let stream =
            start > 0 && start == attachment.length
            ? AttachmentStream(start: start, AsyncThrowingStream { $0.finish() })
            : try await source.attachment(attachment, of: sourceDocument(document), from: start)
        guard stream.start <= start else {
            throw ReplicationError(
                .badResponse, "attachment \(attachment.name): the response began at the offset \(stream.start)")
        }
        let pieces = CheckedPieces(pieces: stream, start: start, attachment: attachment) {
            self.recordPresentBytes($0, of: key)
        }
        return AttachmentStream(start: start, pieces)
    }
}
