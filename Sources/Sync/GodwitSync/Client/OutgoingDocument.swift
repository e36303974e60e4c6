//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

/// A document to send to a server. The document has been checked, and its attachments are open for reading.
struct OutgoingDocument: Sendable {
    let id: String
    /// The document's JSON. Large attachments follow it.
    let text: [UInt8]
    /// The attachments that follow, in the order in which the text names them.
    let parts: [MultipartBody.Part]

    var hasParts: Bool { !parts.isEmpty }
}

extension CouchDatabase {
    /// Checks an edit as a local store does, and opens the sources of its attachments.
    func outgoing(_ edit: DocumentEdit) async throws(StoreError) -> OutgoingDocument {
        let (document, id, revision) = try edit.target()
        var text = Array("{\"_id\":".utf8)
        JSONWriter.appendQuoted(id, to: &text)
        if let revision { text.append(raw: ",\"_rev\":\"\(revision)\"") }
        if edit.isDeletion {
            guard (try? DocumentID.check(id, limits: .default)) != nil else { throw StoreError.conflict(id: id) }
            text.append(raw: ",\"_deleted\":true}")
            return OutgoingDocument(id: id, text: text, parts: [])
        }
        let body = try document.checkedText(id: id, limits: .default)
        let attachments = try await outgoingAttachments(of: document, id: id, revision)
        for (index, attachment) in attachments.enumerated() {
            text.append(raw: index == 0 ? ",\"_attachments\":{" : ",")
            attachment.append(to: &text)
        }
        if !attachments.isEmpty { text.append(UInt8(ascii: "}")) }
        if body.count > 2 {
            text.append(UInt8(ascii: ","))
            text += body[1...]
        } else {
            text.append(UInt8(ascii: "}"))
        }
        return OutgoingDocument(id: id, text: text, parts: attachments.compactMap(\.part))
    }

    private func outgoingAttachments(
        of document: Document, id: String, _ revision: RevisionID?
    ) async throws(StoreError) -> [OutgoingAttachment] {
        var attachments: [OutgoingAttachment] = []
        var freeBytes = limits.attachmentsInlineBytesMax
        let ordered = document.attachments
        for (name, attachment) in ordered {
            try AttachmentName.check(name)
            attachments.append(try await outgoing(attachment, name, of: id, revision, freeBytes: &freeBytes))
        }
        return attachments
    }

    /// Opens an attachment for sending.
    ///
    /// - Parameter freeBytes: The number of bytes of attachments that may still be added to the document's JSON.
    private func outgoing(
        _ attachment: Attachment, _ name: String, of id: String, _ revision: RevisionID?, freeBytes: inout Int
    ) async throws(StoreError) -> OutgoingAttachment {
        let type = attachment.contentType
        switch attachment.content {
        case .bytes(let bytes) where bytes.count <= freeBytes:
            freeBytes -= bytes.count
            return OutgoingAttachment(name: name, contentType: type, content: .inline(bytes))
        case .bytes(let bytes):
            return OutgoingAttachment(
                name: name, contentType: type, length: bytes.count, digest: AttachmentDigest.text(of: bytes)
            ) { OnePiece(piece: bytes) }
        case .file(let path): return OutgoingAttachment(name, type, try await AttachmentFile.open(path))
        case .stream(let source): return OutgoingAttachment(name, type, try await AttachmentFile.spool(source))
        case .remote(let remote):
            guard remote.database.isIdenticalText(to: url) else { throw StoreError.bytesElsewhere(name) }
            if remote.revision == revision, remote.documentID.utf8.elementsEqual(id.utf8),
                remote.name.utf8.elementsEqual(name.utf8)
            {
                return OutgoingAttachment(name: name, contentType: type, content: .stub)
            }
            // The attachment belongs to another document or revision, so its bytes are read from there and sent, piece
            // by piece.
            return OutgoingAttachment(
                name: name, contentType: type, length: remote.length,
                digest: remote.isDigestOfBytes ? remote.digest : nil
            ) { try await self.bytes(of: attachment) }
        case .uploaded, .stored: throw StoreError.bytesElsewhere(name)
        }
    }
}

/// An attachment to send to a server.
private struct OutgoingAttachment {
    enum Content {
        /// The server already has the attachment, in the revision that is changed.
        case stub
        case inline([UInt8])
        /// The attachment follows the document. The digest is computed from the attachment's bytes.
        case following(MultipartBody.Part, digest: String?)
    }

    let name: String
    let contentType: String
    let content: Content

    init(name: String, contentType: String, content: Content) {
        self.name = name
        self.contentType = contentType
        self.content = content
    }

    init(
        name: String, contentType: String, length: Int, digest: String?,
        pieces: @escaping @Sendable () async throws -> any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        let part = MultipartBody.Part(
            name: name, contentType: contentType, length: length, start: nil, pieces: pieces)
        self.init(name: name, contentType: contentType, content: .following(part, digest: digest))
    }

    init(_ name: String, _ contentType: String, _ file: AttachmentFile) {
        self.init(name: name, contentType: contentType, length: file.length, digest: file.digest) { file.pieces }
    }

    var part: MultipartBody.Part? { if case .following(let part, _) = content { part } else { nil } }

    /// Appends the attachment's member of `_attachments`.
    func append(to text: inout [UInt8]) {
        JSONWriter.appendQuoted(name, to: &text)
        text.append(raw: ":{\"content_type\":")
        JSONWriter.appendQuoted(contentType, to: &text)
        switch content {
        case .stub: text.append(raw: ",\"stub\":true}")
        case .inline(let bytes):
            text.append(raw: ",\"data\":\"")
            Base64.append(bytes, to: &text)
            text.append(raw: "\"}")
        case .following(let part, let digest):
            if let digest {
                text.append(raw: ",\"digest\":")
                JSONWriter.appendQuoted(digest, to: &text)
            }
            text.append(raw: ",\"length\":\(part.length),\"follows\":true}")
        }
    }
}

/// A sequence of one piece: bytes in memory.
private struct OnePiece: AsyncSequence, Sendable {
    let piece: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(piece: piece) }

    struct Iterator: AsyncIteratorProtocol {
        var piece: [UInt8]?

        mutating func next() async throws -> [UInt8]? {
            defer { piece = nil }
            return piece
        }
    }
}
