//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitQuery
public import GodwitStore

extension QueryStore {
    /// The number of additional photos that the first query for a page reads. They are needed because the query also
    /// returns photos that have the same time as the last photo of the previous page. Some of these photos may be on
    /// the previous page, and are left out.
    private static var sameTimeCount: Int { 50 }
    /// If a query has read too few photos for a page, the query is repeated with twice the number of photos. It is not
    /// repeated any more when it has read at least this number of photos. Therefore, if more photos have the same time,
    /// pages may lack some photos.
    private static var readMax: Int { 6_400 }

    /// Returns a page of the photos, the newest first. The same query reads the photos of the device (`Datastore`) and
    /// of the server (`CouchDatabase`).
    ///
    /// - Parameters:
    ///   - position: The end of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of photos.
    public func photos(after position: PhotoPosition? = nil, limit: Int) async throws(StoreError) -> PhotoPage {
        var selector: JSONObject = ["type": .string(PhotoEntry.type), "sort": ["$gt": 0]]
        if let position { selector["sort"] = ["$gt": 0, "$lte": .double(position.sort)] }
        var readCount = limit + 1 + (position == nil ? 0 : Self.sameTimeCount)
        var (documents, photos): ([Document], [Photo]) = ([], [])
        while true {
            let query = FindQuery(
                selector: selector, sort: [.descending("sort")], limit: readCount, index: [PhotoIndex.name])
            documents = try await find(query).documents
            photos = documents.compactMap { Photo($0) }.filter { photo in
                guard let position, photo.entry.sort == position.sort else { return true }
                return photo.id.utf8.lexicographicallyPrecedes(position.id.utf8)
            }
            guard photos.count <= limit, documents.count == readCount, readCount < Self.readMax else { break }
            readCount *= 2
        }
        let page = Array(photos.prefix(limit))
        let hasMore = photos.count > limit || documents.count == readCount
        return PhotoPage(photos: page, next: hasMore ? page.last.map(PhotoPosition.init(after:)) : nil)
    }
}

/// The index of photos by time.
public enum PhotoIndex {
    /// The name of the index and of its design document.
    public static let name = "sort"
    /// The indexed fields.
    public static let fields: [QueryField] = ["sort"]
}
