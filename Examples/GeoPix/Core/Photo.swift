//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore

/// A photo of a database: on the device, or on the server.
public struct Photo: Identifiable, Sendable {
    /// The document's id: the name of the owner, a colon, and the name of the picture.
    public let id: String
    /// The data of the photo.
    public let entry: PhotoEntry
    /// The name of the picture: the first attachment, sorted by name; `nil` if the document has none.
    public let imageName: String?
    /// The picture; `nil` if the document has none.
    public let image: Attachment?

    /// Reads a photo from a document; `nil` if the document is not a photo.
    public init?(_ document: Document) {
        guard let id = document.id, let entry = PhotoEntry(document.body) else { return nil }
        (self.id, self.entry) = (id, entry)
        let first = document.attachments.min { $0.key < $1.key }
        (imageName, image) = (first?.key, first?.value)
    }

    /// The name of the owner.
    public var owner: String { String(decoding: id.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) }
}

/// A position in a list of photos that is sorted by time, the newest first.
public struct PhotoPosition: Equatable, Sendable {
    /// The value of the member `sort` of the last photo before the position.
    public var sort: Double
    /// The id of the last photo before the position.
    public var id: String

    /// Creates a position.
    public init(sort: Double, id: String) { (self.sort, self.id) = (sort, id) }

    /// The position after a photo.
    public init(after photo: Photo) { self.init(sort: photo.entry.sort, id: photo.id) }
}

/// A page of photos.
public struct PhotoPage: Sendable {
    /// The photos, the newest first.
    public var photos: [Photo]
    /// The position of the next page; `nil` if there is no next page. The next page may be empty.
    public var next: PhotoPosition?
}
