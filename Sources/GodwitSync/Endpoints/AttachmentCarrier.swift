//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitStore
import GodwitThreads

/// Carries large attachments from the source of a replication, and goes on where a broken connection or an earlier run left
/// off: within an attachment, and behind those of its document that are here already.
public final class AttachmentCarrier: Sendable {
    private let source: any DatabaseEndpoint
    /// What a document is called at the source.
    private let sourceID: @Sendable (String) -> String
    private let bytesMax: Int
    private let onBytes: @Sendable (Int) -> Void
    /// The attachments of the documents that are carried and not written yet.
    private let carried = Mutex<[Key: Carried]>([:])

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

    private struct Carried {
        /// What was told of.
        var bytes = 0
        /// The most that the target had of it when it was begun to be sent.
        var arrived = 0
        /// Whether it is being sent.
        var isOnItsWay = false
        /// The whole, once it is here.
        var blob: StoredBlob?
    }

    /// Creates a carrier.
    ///
    /// - Parameters:
    ///   - source: Where the attachments are.
    ///   - bytesMax: What is longer stays where it is, if the target can remember that.
    ///   - onBytes: Told of bytes that are here, as they arrive or when an earlier run left them; of a negative number
    ///     when some have to be sent again.
    public convenience init(
        source: any DatabaseEndpoint, bytesMax: Int = .max, onBytes: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.init(source: source, sourceID: { $0 }, bytesMax: bytesMax, onBytes: onBytes)
    }

    /// Creates a carrier of documents that the target calls otherwise.
    ///
    /// - Parameter sourceID: What a document of the target is called at the source.
    package init(
        source: any DatabaseEndpoint, sourceID: @escaping @Sendable (String) -> String, bytesMax: Int = .max,
        onBytes: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.source = source
        self.sourceID = sourceID
        self.bytesMax = bytesMax
        self.onBytes = onBytes
    }

    private func atSource(_ document: ReplicatedDocument) -> ReplicatedDocument {
        ReplicatedDocument(
            id: sourceID(document.id), revision: document.revision, text: [], attachments: document.attachments)
    }

    /// What stands for an attachment that stays where it is; `nil` for one that is to be carried. One without a digest is
    /// carried however long it is, since it could not be told again later.
    func leftOut(_ attachment: ReplicatedAttachment) -> StoredBlob? {
        guard attachment.length > bytesMax else { return nil }
        return StoredBlob.absent(length: attachment.length, md5Text: attachment.digest)
    }

    /// Brings an attachment into a datastore, which keeps what arrived when it fails: the next call goes on with that, of
    /// this carrier or of another one, unless the source tells no digest of the bytes.
    ///
    /// - Throws: ``ReplicationError``.
    func store(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, in datastore: Datastore
    ) async throws(ReplicationError) -> StoredBlob {
        let key = Key(document, attachment)
        if let blob = carried.withLock({ $0[key]?.blob }) { return blob }
        var brought = try await bring(attachment, of: document, as: key, into: datastore)
        // What was kept may have been what spoilt it, and is gone now: once more, from the beginning.
        if case .spoilt(_, let kept) = brought, kept > 0 {
            brought = try await bring(attachment, of: document, as: key, into: datastore)
        }
        switch brought {
        case .blob(let blob):
            carried.withLock { $0[key]?.blob = blob }
            return blob
        case .spoilt(let fault, _):
            throw ReplicationError(.badResponse, "\(document.id), attachment \(attachment.name): \(fault)")
        }
    }

    private enum Brought {
        case blob(StoredBlob)
        /// The bytes that came are not those that were announced. So many of them had been kept from earlier.
        case spoilt(String, kept: Int)
    }

    private func bring(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, as key: Key, into datastore: Datastore
    ) async throws(ReplicationError) -> Brought {
        var upload = try await upload(of: attachment, to: datastore)
        let kept = upload.length
        note(kept, of: key)
        do throws(ReplicationError) {
            if kept < attachment.length || attachment.length == 0 {
                try await read(attachment, of: document, as: key, into: &upload)
            }
            let blob = try await finish(&upload)
            guard let blob else {
                note(0, of: key)
                return .spoilt("its bytes do not have the announced digest, \(attachment.digest)", kept: kept)
            }
            if let fault = attachment.fault(length: blob.length, md5Text: blob.md5Text) {
                note(0, of: key)
                return .spoilt(fault, kept: 0)
            }
            return .blob(blob)
        } catch {
            var error = error
            error.hasMovedOn = upload.length > kept
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

    /// - Returns: `nil` when the bytes are not those that were announced.
    private func finish(_ upload: inout AttachmentUpload) async throws(ReplicationError) -> StoredBlob? {
        do throws(StoreError) {
            return try await upload.finish()
        } catch {
            guard error.code == .digestMismatch else { throw ReplicationError(error) }
            return nil
        }
    }

    /// So many bytes of an attachment are here now.
    private func note(_ bytes: Int, of key: Key) {
        let change = carried.withLock { carried in
            defer { carried[key, default: Carried()].bytes = bytes }
            return bytes - (carried[key]?.bytes ?? 0)
        }
        if change != 0 { onBytes(change) }
    }

    /// Keeps nothing of a document any more: it was written, or is not what the target takes.
    func forget(_ document: ReplicatedDocument) {
        carried.withLock { carried in
            for attachment in document.attachments { carried[Key(document, attachment)] = nil }
        }
    }

    private func read(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, as key: Key,
        into upload: inout AttachmentUpload
    ) async throws(ReplicationError) {
        let stream = try await source.attachment(attachment, of: atSource(document), from: upload.length)
        do {
            if stream.start != upload.length {
                try await upload.restart()
                note(0, of: key)
            }
            for try await piece in stream {
                guard upload.length + piece.count <= attachment.length else {
                    throw ReplicationError(
                        .badResponse, "\(document.id), attachment \(attachment.name): more came than was announced")
                }
                try await upload.append(piece)
                note(upload.length, of: key)
            }
        } catch let error as StoreError {
            // Bytes that rested for too long are gone: from the beginning.
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

    // MARK: Sending on

    /// Whether a document was sent before, in vain.
    func wasSent(_ document: ReplicatedDocument) -> Bool {
        carried.withLock { carried in document.attachments.contains { carried[Key(document, $0)] != nil } }
    }

    /// Whether the bytes of an attachment are being sent, with whatever document.
    func isOnItsWay(_ attachment: ReplicatedAttachment) -> Bool {
        carried.withLock { carried in
            carried.contains { key, value in value.isOnItsWay && key.announced == attachment.announced }
        }
    }

    /// A document was sent in vain, and will be sent again.
    func end(_ document: ReplicatedDocument) {
        carried.withLock { carried in
            for attachment in document.attachments { carried[Key(document, attachment)]?.isOnItsWay = false }
        }
    }

    /// Begins to send a document's attachments, each from the place up to which the target has it.
    ///
    /// - Returns: Whether it has more of one than it ever had.
    func begin(_ document: ReplicatedDocument, at starts: [Int?]) -> Bool {
        var hasMore = false
        for (attachment, start) in zip(document.attachments, starts) {
            let (key, start) = (Key(document, attachment), start ?? 0)
            note(start, of: key)
            carried.withLock { carried in
                carried[key]?.isOnItsWay = true
                guard start > carried[key]?.arrived ?? 0 else { return }
                carried[key]?.arrived = start
                hasMore = true
            }
        }
        return hasMore
    }

    /// The bytes of an attachment from a place on, to be sent on as they come. Reading them fails at the end when they are
    /// not those that were announced, so that whoever sends them on breaks off: the length tells, and the digest where the
    /// whole is read.
    func stream(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        let key = Key(document, attachment)
        note(start, of: key)
        // A source may refuse to begin at the end.
        let stream =
            start > 0 && start == attachment.length
            ? AttachmentStream(start: start, AsyncThrowingStream { $0.finish() })
            : try await source.attachment(attachment, of: atSource(document), from: start)
        guard stream.start <= start else {
            throw ReplicationError(.badResponse, "attachment \(attachment.name): it began at \(stream.start)")
        }
        let pieces = CheckedPieces(pieces: stream, start: start, attachment: attachment) { self.note($0, of: key) }
        return AttachmentStream(start: start, pieces)
    }
}
