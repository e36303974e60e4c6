//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import GodwitDatabase

/// The images on the device: the documents of the feed's window, which a replication pulls.
public final class FeedStore: Sendable {
    /// A page of images, the newest first.
    public struct Page: Sendable {
        /// The images.
        public let photos: [FeedPhoto]
        /// The position after which the next page begins; `nil` after the last page.
        public let next: String?
    }

    let datastore: Datastore

    private static let byTime = "device-order"
    private static let byUser = "device-user-order"

    init(_ datastore: Datastore) async throws(StoreError) {
        self.datastore = datastore
        try await datastore.ensureIndex(["order"], named: FeedStore.byTime, where: nil)
        try await datastore.ensureIndex(["userId", "order"], named: FeedStore.byUser, where: nil)
    }

    /// Returns a page of all images on the device, or of a user's images.
    ///
    /// - Parameters:
    ///   - position: The position after which the page begins; `nil` for the first page.
    ///   - user: The owner; `nil` for all.
    ///   - limit: The maximum number of images.
    public func page(
        after position: String? = nil, of user: String? = nil, limit: Int
    ) async throws(DeviceError) -> Page {
        do throws(StoreError) {
            // In the order of an index, names with different bytes can be equal, for example names that only look alike.
            // The images of these other users are left out.
            var (photos, position): ([FeedPhoto], String?) = ([], position)
            while photos.count <= limit {
                let found = try await self.photos(after: position, of: user, limit + 1)
                photos += found.filter { photo in user.map { photo.owner.utf8.elementsEqual($0.utf8) } ?? true }
                guard found.count > limit, let last = found.last else { break }
                position = last.order
            }
            let page = Array(photos.prefix(limit))
            return Page(photos: page, next: photos.count > limit ? page.last?.order : nil)
        } catch {
            throw DeviceError(store: error)
        }
    }

    private func photos(
        after position: String?, of user: String?, _ count: Int
    ) async throws(StoreError) -> [FeedPhoto] {
        let order: JSONValue = position.map { ["$gt": "", "$lt": .string($0)] } ?? ["$gt": ""]
        var (selector, sort, index): (JSONObject, [QueryField], String) = (
            ["order": order], [.descending("order")], FeedStore.byTime
        )
        if let user {
            selector["userId"] = .string(user)
            (sort, index) = ([.descending("userId"), .descending("order")], FeedStore.byUser)
        }
        let query = FindQuery(selector: selector, sort: sort, limit: count, index: [index])
        return try await datastore.find(query).documents.compactMap { FeedPhoto($0) }
    }

    /// Returns an image; `nil` if it is not on the device.
    public func photo(_ id: String) -> FeedPhoto? {
        guard id.utf8.first != UInt8(ascii: "_") else { return nil }
        return (try? datastore.document(id)).flatMap { FeedPhoto($0) }
    }

    /// Returns the number of images of a user; 0 if the images cannot be read.
    func count(of user: String) async -> Int {
        let selector: JSONObject = ["userId": .string(user), "order": ["$gt": ""]]
        return (try? await datastore.count(selector)) ?? 0
    }

    /// Returns the number of images in the window that begins at a time, up to `limit`; 0 if the images cannot be read.
    func count(since begin: String, limit: Int) async -> Int {
        let selector: JSONObject = ["order": ["$gte": .string(begin)]]
        let query = FindQuery(
            selector: selector, fields: ["_id"], sort: [.descending("order")], limit: limit, index: [FeedStore.byTime])
        return (try? await datastore.find(query).documents.count) ?? 0
    }

    /// Returns the upload time of the image at a position in the feed, where the newest image is at 0; `nil` if the
    /// feed has fewer images.
    func uploadTime(at place: Int) async -> String? {
        let query = FindQuery(
            selector: ["order": ["$gt": ""]], sort: [.descending("order")], limit: 1, skip: place,
            index: [FeedStore.byTime])
        return (try? await datastore.find(query).documents.first)?.body["uploadedTs"]?.stringValue
    }

    /// Returns the profile of a user; `nil` if it is not on the device.
    func profile(of user: String) -> (name: String, picture: String?)? {
        guard let body = (try? datastore.document("user:\(user)"))?.body else { return nil }
        return (body["name"]?.stringValue ?? user, body["picture"]?.stringValue)
    }
}

extension DeviceError {
    /// Creates the error for an error of a datastore.
    init(store error: StoreError) {
        switch error.code {
        case .directoryInUse: self.init(.inUse, error.message, cause: error)
        case .notFound, .deleted: self.init(.notFound, "The photo does not exist on this device.", cause: error)
        case .wrongKey: self.init(.locked, error.message, cause: error)
        default: self.init(.storage, error.message, cause: error)
        }
    }
}
