//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

/// An attachment of a revision.
///
/// Origin: `CDTAttachment`. New: ``GodwitStore/Attachment``.
@available(*, deprecated, message: "Use Attachment.")
public class CDTAttachment {
    /// The name.
    ///
    /// Origin: `name`. New: the key in ``GodwitStore/Document/attachments``.
    public let name: String
    /// The media type.
    ///
    /// Origin: `type`. New: ``GodwitStore/Attachment/contentType``.
    public let type: String
    /// The number of bytes; -1 for a file that is not saved yet, and for an unknown length.
    ///
    /// Origin: `size`. New: ``GodwitStore/Attachment/length``.
    public let size: Int

    fileprivate init(name: String, type: String, size: Int) {
        (self.name, self.type, self.size) = (name, type, size)
    }

    /// Returns all bytes; `nil` if they cannot be read.
    ///
    /// Origin: `dataFromAttachmentContent`. New: ``GodwitStore/Datastore/bytes(of:in:)``, which is a stream.
    public func dataFromAttachmentContent() -> Data? { nil }

    func attachment() throws -> Attachment { throw CDTError(400, "\(name) has no content.") }
}

/// An attachment of a saved revision.
///
/// Origin: `CDTSavedAttachment`. New: ``GodwitStore/Attachment``.
@available(*, deprecated, message: "Use Attachment.")
public final class CDTSavedAttachment: CDTAttachment {
    private let stored: Attachment
    private let store: Datastore

    /// The generation of the revision that added the attachment; 0 when it is unknown.
    ///
    /// Origin: `revpos`. New: ``GodwitStore/Attachment/revisionPosition``.
    public var revpos: Int { stored.revisionPosition ?? 0 }

    init(name: String, _ attachment: Attachment, of store: Datastore) {
        (stored, self.store) = (attachment, store)
        super.init(name: name, type: attachment.contentType, size: attachment.length ?? -1)
    }

    /// See ``CDTAttachment/dataFromAttachmentContent()``.
    ///
    /// Origin: `dataFromAttachmentContent`. New: ``GodwitStore/Datastore/bytes(of:in:)``, which is a stream.
    public override func dataFromAttachmentContent() -> Data? {
        let (store, stored) = (store, stored)
        return try? Data(Blocking.run { try await store.bytes(of: stored).collect(bytesMax: .max) })
    }

    override func attachment() throws -> Attachment { stored }
}

/// An attachment whose bytes are in memory.
///
/// Origin: `CDTUnsavedDataAttachment`. New: ``GodwitStore/Attachment/data(_:contentType:)``.
@available(*, deprecated, message: "Use Attachment.data(_:contentType:).")
public final class CDTUnsavedDataAttachment: CDTAttachment {
    private let data: Data

    /// Creates an attachment; `nil` if `data` is `nil`.
    ///
    /// Origin: `initWithData:name:type:`. New: ``GodwitStore/Attachment/data(_:contentType:)``.
    public init?(data: Data?, name: String, type: String) {
        guard let data else { return nil }
        self.data = data
        super.init(name: name, type: type, size: data.count)
    }

    /// See ``CDTAttachment/dataFromAttachmentContent()``.
    ///
    /// Origin: `dataFromAttachmentContent`. New: the bytes themselves.
    public override func dataFromAttachmentContent() -> Data? { data }

    override func attachment() throws -> Attachment { .data(Array(data), contentType: type) }
}

/// An attachment whose bytes are in a file, which is read when the revision is saved.
///
/// Origin: `CDTUnsavedFileAttachment`. New: ``GodwitStore/Attachment/file(_:contentType:)-(String,_)``.
@available(*, deprecated, message: "Use Attachment.file(_:contentType:).")
public final class CDTUnsavedFileAttachment: CDTAttachment {
    private let path: String

    /// Creates an attachment; `nil` if the file does not exist or cannot be read.
    ///
    /// Origin: `initWithPath:name:type:`. New: ``GodwitStore/Attachment/file(_:contentType:)-(String,_)``.
    public init?(path: String, name: String, type: String) {
        guard FileManager.default.isReadableFile(atPath: path) else { return nil }
        self.path = path
        super.init(name: name, type: type, size: -1)
    }

    /// See ``CDTAttachment/dataFromAttachmentContent()``.
    ///
    /// Origin: `dataFromAttachmentContent`. New: the file itself.
    public override func dataFromAttachmentContent() -> Data? { FileManager.default.contents(atPath: path) }

    override func attachment() throws -> Attachment { .file(path, contentType: type) }
}
