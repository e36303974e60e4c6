//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitStore
import GodwitThreads

/// Carries large attachments from the source of a replication, and goes on where a broken connection left off: within an
/// attachment, and behind those of its document that are here already.
public final class AttachmentCarrier: Sendable {
    private let source: any DatabaseEndpoint
    /// What a document is called at the source.
    private let sourceID: @Sendable (String) -> String
    private let bytesMax: Int
    private let onBytes: @Sendable (Int) -> Void
    /// What arrived of the documents that are carried and not written yet.
    private let partial = Mutex<[Key: Partial]>([:])

    private struct Key: Hashable {
        let document: ExactText
        let revision: RevisionID
        let name: ExactText

        init(_ document: ReplicatedDocument, _ attachment: ReplicatedAttachment) {
            self.document = ExactText(document.id)
            revision = document.revision
            name = ExactText(attachment.name)
        }
    }

    private struct Partial {
        var upload: AttachmentUpload
        var count = 0
        /// The whole, once it is here.
        var blob: StoredBlob?
    }

    /// Creates a carrier.
    ///
    /// - Parameters:
    ///   - source: Where the attachments are.
    ///   - bytesMax: What is longer stays where it is, if the target can remember that.
    ///   - onBytes: Told of bytes as they arrive; of a negative number when some have to be sent again.
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

    /// Brings an attachment into a datastore.
    ///
    /// What arrived is kept for the next call, until ``forget(_:)``.
    ///
    /// - Throws: ``ReplicationError``.
    func store(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, in datastore: Datastore
    ) async throws(ReplicationError) -> StoredBlob {
        let key = Key(document, attachment)
        var current = partial.withLock { $0.removeValue(forKey: key) } ?? Partial(upload: datastore.upload())
        if let blob = current.blob { return keep(blob, of: current, as: key) }
        let before = current.count
        do {
            if current.count < attachment.length || attachment.length == 0 {
                try await read(attachment, of: document, into: &current, datastore)
            }
        } catch {
            partial.withLock { [current] in $0[key] = current }
            var error = error
            error.hasMovedOn = current.count > before
            throw error
        }
        let blob: StoredBlob
        do throws(StoreError) {
            blob = try await current.upload.finish()
        } catch {
            throw ReplicationError(error)
        }
        guard let fault = attachment.fault(length: blob.length, md5Text: blob.md5Text) else {
            return keep(blob, of: current, as: key)
        }
        onBytes(-current.count)
        throw ReplicationError(.badResponse, "\(document.id), attachment \(attachment.name): \(fault)")
    }

    private func keep(_ blob: StoredBlob, of current: Partial, as key: Key) -> StoredBlob {
        var current = current
        current.blob = blob
        partial.withLock { [current] in $0[key] = current }
        return blob
    }

    /// Keeps nothing of a document any more: it was written, or is not what the target takes.
    func forget(_ document: ReplicatedDocument) {
        partial.withLock { partial in
            for attachment in document.attachments { partial[Key(document, attachment)] = nil }
        }
    }

    private func read(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, into current: inout Partial,
        _ datastore: Datastore
    ) async throws(ReplicationError) {
        let stream = try await source.attachment(attachment, of: atSource(document), from: current.count)
        if stream.start != current.count {
            onBytes(-current.count)
            current = Partial(upload: datastore.upload())
        }
        do {
            for try await piece in stream {
                guard current.count + piece.count <= attachment.length else {
                    throw ReplicationError(
                        .badResponse, "\(document.id), attachment \(attachment.name): more came than was announced")
                }
                try await current.upload.append(piece)
                current.count += piece.count
                onBytes(piece.count)
            }
        } catch let error as StoreError {
            // The bytes rested for too long and are gone, or the disk is full: from the beginning.
            current = Partial(upload: datastore.upload())
            throw error.code == .notFound ? ReplicationError(.network, error.message) : ReplicationError(error)
        } catch {
            throw ReplicationError(reading: error, "\(document.id), attachment \(attachment.name)")
        }
        guard current.count == attachment.length else {
            throw ReplicationError(
                .network,
                "\(document.id), attachment \(attachment.name): the connection ended after \(current.count) "
                    + "of \(attachment.length) bytes")
        }
    }

    /// The bytes of an attachment, to be sent on as they come. Reading them fails at the end when they are not those
    /// that were announced, so that whoever sends them on breaks off.
    func stream(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument
    ) async throws(ReplicationError) -> AttachmentStream {
        let stream = try await source.attachment(attachment, of: atSource(document), from: 0)
        return AttachmentStream(start: 0, CheckedPieces(pieces: stream, attachment: attachment, onBytes: onBytes))
    }
}

/// The bytes of an attachment, with a failure behind them when they are not those that were announced.
private struct CheckedPieces: AsyncSequence, Sendable {
    let pieces: AttachmentStream
    let attachment: ReplicatedAttachment
    let onBytes: @Sendable (Int) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(checked: self, pieces: pieces.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let checked: CheckedPieces
        var pieces: AttachmentStream.Iterator
        var md5 = Insecure.MD5()
        var count = 0

        mutating func next() async throws -> [UInt8]? {
            if let piece = try await pieces.next() {
                md5.update(data: piece)
                count += piece.count
                checked.onBytes(piece.count)
                return piece
            }
            var digits = Array("md5-".utf8)
            Base64.append(Array(md5.finalize()), to: &digits)
            let text = String(decoding: digits, as: UTF8.self)
            if let fault = checked.attachment.fault(length: count, md5Text: text) {
                throw ReplicationError(.network, "attachment \(checked.attachment.name): \(fault)")
            }
            return nil
        }
    }
}

extension ReplicatedAttachment {
    /// What is wrong with the bytes that came; `nil` when nothing is.
    fileprivate func fault(length found: Int, md5Text: String) -> String? {
        if found != length { return "\(found) bytes came and \(length) were announced" }
        guard !isPacked, digest.hasPrefix("md5-"), digest != md5Text else { return nil }
        return "its digest is \(md5Text) and was announced as \(digest)"
    }
}

extension ReplicationError {
    /// The error of a body that was being read.
    init(reading error: any Error, _ subject: String) {
        switch error {
        case let error as ReplicationError: self = error
        case let error as StoreError: self.init(error)
        case is CancellationError: self.init(.cancelled, "the replication was cancelled")
        default:
            self.init(
                .network,
                "\(subject): \(ReplicationError.words(of: error)). Check the network; what was replicated is kept.")
        }
    }
}
