//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitFoundation

/// An attachment of a document: bytes to store, or a description of stored bytes.
public struct Attachment: Sendable {
    /// The location of an attachment's bytes: in memory, in a file, in the database, or at a server.
    package enum Content: Sendable {
        case bytes([UInt8])
        case file(String)
        case stream(AttachmentSource)
        case uploaded(StoredBlob)
        case stored(AttachmentRecord)
        case remote(RemoteAttachment)
    }

    /// The location of the bytes.
    package let content: Content

    /// The media type, for example `image/jpeg`.
    public let contentType: String

    /// An attachment whose bytes are stored when the document is saved.
    public static func data(_ bytes: [UInt8], contentType: String) -> Attachment {
        Attachment(content: .bytes(bytes), contentType: contentType)
    }

    /// A file whose bytes are stored when the document is saved. The file is read at that time, in pieces.
    ///
    /// - Parameter path: The file's path.
    public static func file(_ path: String, contentType: String) -> Attachment {
        Attachment(content: .file(path), contentType: contentType)
    }

    /// A file whose bytes are stored when the document is saved. The file is read at that time, in pieces.
    ///
    /// - Parameter url: The file's URL.
    public static func file(_ url: URL, contentType: String) -> Attachment { file(url.path, contentType: contentType) }

    /// A sequence of bytes, in pieces of any length, which are stored when the document is saved.
    ///
    /// Each save iterates the sequence. If the sequence can be iterated only once, a second save of the same attachment
    /// stores an attachment without bytes.
    public static func stream<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes, contentType: String
    ) -> Attachment where Bytes.Element == [UInt8] {
        Attachment(
            content: .stream(AttachmentSource { append in for try await piece in bytes { try await append(piece) } }),
            contentType: contentType)
    }

    init(content: Content, contentType: String) {
        self.content = content
        self.contentType = contentType
    }

    /// Creates a description of an attachment that is stored in the database, or that is absent.
    package init(_ record: AttachmentRecord) {
        self.init(content: .stored(record), contentType: record.contentType)
    }

    /// Creates an attachment of a remote database.
    package init(_ remote: RemoteAttachment, contentType: String) {
        self.init(content: .remote(remote), contentType: contentType)
    }

    /// Whether a replication omitted the bytes (`attachmentBytesMax`). The bytes can be fetched from the peer later.
    public var isAbsent: Bool { storedBlob?.isAbsent == true }

    /// The number of bytes; `nil` for a file or a stream that is not stored yet.
    public var length: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .file, .stream: nil
        case .uploaded(let blob): blob.length
        case .stored(let record): record.blob.length
        case .remote(let remote): remote.length
        }
    }

    /// The digest in CouchDB's form, `md5-` and Base64; `nil` if the bytes are not stored yet.
    public var digest: String? {
        if case .remote(let remote) = content { remote.digest } else { storedBlob?.md5Text }
    }

    /// The generation of the revision that added these bytes under this name (`revpos`); `nil` if the attachment was
    /// not read from a document.
    public var revisionPosition: Int? {
        switch content {
        case .stored(let record): record.revisionPosition
        case .remote(let remote): remote.revisionPosition
        case .bytes, .file, .stream, .uploaded: nil
        }
    }

    /// The attachment's name in the document from which it was read; `nil` if it was not read from a document.
    var storedName: String? {
        if case .stored(let record) = content { record.name } else { nil }
    }

    var storedBlob: StoredBlob? {
        switch content {
        case .uploaded(let blob): blob
        case .stored(let record): record.blob
        case .bytes, .file, .stream, .remote: nil
        }
    }

    /// The attachment in the form that an edit contains.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDocument`` for a file or a stream,
    ///   ``StoreError/Code/missingStub`` for an attachment of a remote database.
    func incoming(name: String) throws(StoreError) -> IncomingDocument.Attachment {
        switch content {
        case .bytes(let bytes): .inline(name: name, contentType: contentType, bytes: bytes)
        case .uploaded(let blob): .stored(name: name, contentType: contentType, blob: blob)
        case .stored(let record): .known(name: name, contentType: record.contentType, blob: record.blob)
        case .file, .stream:
            throw StoreError(
                .invalidDocument,
                "\(name) is a file or a stream, which cannot be read within a write. Upload it first with upload(_:).")
        case .remote: throw StoreError.bytesElsewhere(name)
        }
    }
}

extension StoreError {
    /// The error for a document with an attachment whose bytes are in another database.
    package static func bytesElsewhere(_ name: String) -> StoreError {
        StoreError(
            .missingStub,
            "the bytes of \(name) are in another database. Read them there and pass them as data.")
    }
}

/// The source of a streamed attachment's bytes.
package struct AttachmentSource: Sendable {
    /// A function that receives the bytes of an attachment, one piece after another.
    package typealias Append = ([UInt8]) async throws -> Void

    /// Reads the bytes and passes each piece to `append`. Throws the errors of the source and of `append`.
    package let read: @Sendable (_ append: Append) async throws -> Void
}
