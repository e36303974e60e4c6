//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One attachment of a document: bytes that are to be stored, or a description of bytes that are.
public struct Attachment: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        case file(String)
        case stream(AttachmentSource)
        case uploaded(StoredBlob)
        case stored(AttachmentRecord)
        case remote(RemoteAttachment)
    }

    package let content: Content

    /// The media type, for example `image/jpeg`.
    public let contentType: String

    /// Bytes that are to be stored with the next save.
    public static func data(_ bytes: [UInt8], contentType: String) -> Attachment {
        Attachment(content: .bytes(bytes), contentType: contentType)
    }

    /// A file whose bytes are to be stored with the next save. It is read then, in pieces.
    ///
    /// - Parameter path: The file's path.
    public static func file(_ path: String, contentType: String) -> Attachment {
        Attachment(content: .file(path), contentType: contentType)
    }

    /// A file whose bytes are to be stored with the next save. It is read then, in pieces.
    ///
    /// - Parameter url: The file's URL.
    public static func file(_ url: URL, contentType: String) -> Attachment { file(url.path, contentType: contentType) }

    /// Bytes that are to be stored with the next save as they come, in pieces of any length.
    ///
    /// The sequence is read once: saving the document a second time with it would store nothing more.
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

    package init(_ record: AttachmentRecord) {
        self.init(content: .stored(record), contentType: record.contentType)
    }

    /// An attachment of a database elsewhere.
    package init(_ remote: RemoteAttachment, contentType: String) {
        self.init(content: .remote(remote), contentType: contentType)
    }

    /// Whether a replication left the bytes where they are (`attachmentBytesMax`): they can be fetched from there.
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

    /// The digest as CouchDB writes it, `md5-` and Base64; `nil` while the bytes are not stored.
    public var digest: String? {
        if case .remote(let remote) = content { remote.digest } else { storedBlob?.md5Text }
    }

    /// The generation of the revision with which these bytes came to this name (`revpos`); `nil` while they are not
    /// stored.
    public var revisionPosition: Int? {
        switch content {
        case .stored(let record): record.revisionPosition
        case .remote(let remote): remote.revisionPosition
        case .bytes, .file, .stream, .uploaded: nil
        }
    }

    /// The name under which it was read; `nil` while it is no document's.
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

    /// The attachment as a document's edit brings it.
    func incoming(name: String) throws(StoreError) -> IncomingDocument.Attachment {
        switch content {
        case .bytes(let bytes): .inline(name: name, contentType: contentType, bytes: bytes)
        case .uploaded(let blob): .stored(name: name, contentType: contentType, blob: blob)
        case .stored(let record): .known(name: name, contentType: record.contentType, blob: record.blob)
        case .file, .stream:
            throw StoreError(
                .invalidDocument,
                "\(name) is a file or a stream, which cannot be read within a write. Upload it before: upload(_:).")
        case .remote: throw StoreError.bytesElsewhere(name)
        }
    }
}

extension StoreError {
    /// The failure of a document with an attachment whose bytes are in another database.
    package static func bytesElsewhere(_ name: String) -> StoreError {
        StoreError(
            .missingStub,
            "the bytes of \(name) are not in this database. Read them where they are and give them as data.")
    }
}

/// Where the bytes of a streamed attachment come from.
package struct AttachmentSource: Sendable {
    package typealias Append = ([UInt8]) async throws -> Void

    package let read: @Sendable (_ append: Append) async throws -> Void
}
