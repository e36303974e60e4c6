//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews
import ProgramKit
import Synchronization

/// Reads the images and profiles of the database.
final class ImageFeed: Sendable {
    /// The maximum number of images of a page.
    static let pageLimitMax = 100
    private static let pageLimitUsual = 100
    /// The number of tags that `GET /tags` returns.
    static let topTagsCount = 10
    /// The maximum number of different tags that are counted.
    private static let tagsMax = 100_000
    /// The maximum number of profiles that are returned.
    static let profilesMax = 1_000

    /// A change of the feed.
    enum Event: Sendable {
        case image(FeedImage)
        case gone(id: String)
    }

    /// A page of images, the newest first.
    struct Page: Sendable {
        var images: [FeedImage]
        /// The position after which the next page begins; `nil` after the last page.
        var next: String?
    }

    private let opened = Mutex<Datastore?>(nil)
    private let countedTags = Mutex<(sequence: UpdateSequence, tags: [(label: String, count: Int)])?>(nil)
    private let listeners = Listeners<Event>()

    /// Returns the database. Throws an error before the module has started.
    func datastore() throws -> Datastore {
        guard let datastore = opened.withLock({ $0 }) else { throw StoreError(.closed, "BluePic has not started.") }
        return datastore
    }

    func start(_ datastore: Datastore) { opened.withLock { $0 = datastore } }

    // MARK: Images

    /// Returns an image; `nil` if there is none with this id.
    func image(_ id: String) throws -> FeedImage? {
        guard id.utf8.first != UInt8(ascii: "_") else { return nil }
        return try datastore().documents([id])[0].flatMap { FeedImage($0) }
    }

    /// Returns a page of all images, or of a user's images.
    ///
    /// - Parameters:
    ///   - position: The position after which the page begins; `nil` for the first page.
    ///   - user: The owner; `nil` for all users.
    func page(after position: String?, of user: String? = nil, limit: Int = pageLimitUsual) async throws -> Page {
        guard let user else { return ImageFeed.page(try await images(after: position, of: nil, limit + 1), limit) }
        // In the order of an index, names with different bytes can be equal, for example names that only look alike.
        // The images of these other users are left out.
        var (images, position): ([FeedImage], String?) = ([], position)
        while images.count <= limit {
            let found = try await self.images(after: position, of: user, limit + 1)
            images += found.filter { $0.isOwned(by: user) }
            guard found.count > limit, let last = found.last else { break }
            position = last.order
        }
        return ImageFeed.page(images, limit)
    }

    private func images(after position: String?, of user: String?, _ count: Int) async throws -> [FeedImage] {
        let order: JSONValue = position.map { ["$gt": "", "$lt": .string($0)] } ?? ["$gt": ""]
        var selector: JSONObject = ["order": order]
        var (sort, index): ([QueryField], String) = ([.descending("order")], ImageIndex.byTime)
        if let user {
            selector["userId"] = .string(user)
            (sort, index) = ([.descending("userId"), .descending("order")], ImageIndex.byUser)
        }
        let query = FindQuery(selector: selector, sort: sort, limit: count, index: [index])
        return try await datastore().find(query).documents.compactMap { FeedImage($0) }
    }

    /// Returns a page of the images with a tag.
    func page(after position: String?, tag: String, limit: Int = pageLimitUsual) async throws -> Page {
        var query = ViewQuery()
        query.startKey = [.string(tag), position.map { .string($0) } ?? [:]]
        query.endKey = [.string(tag)]
        query.descending = true
        // The query begins with the image at this position. It was the last image of the previous page, and is skipped
        // below.
        query.limit = limit + 2
        query.reduce = false
        var ids: [String] = []
        for try await row in try datastore().rows(of: "feed/tagged", query) {
            guard let id = row.id, row.key.arrayValue?.last?.stringValue != position else { continue }
            ids.append(id)
        }
        return ImageFeed.page(try images(ids), limit)
    }

    /// Returns the images whose captions, tags, places or user names contain all words, the most relevant first. Only
    /// the first 20 words are used. If the text contains no words, the result is empty.
    func images(with words: String, limit: Int = 60) async throws -> [FeedImage] {
        let terms = words.split { !$0.isLetter && !$0.isNumber }.prefix(20).map { "\"\($0)\"" }
        guard !terms.isEmpty else { return [] }
        let query = FindQuery(
            selector: ["$text": .string(terms.joined(separator: " AND ")), "type": .string(FeedImage.type)],
            limit: limit)
        return try await datastore().find(query).documents.compactMap { FeedImage($0) }
    }

    private func images(_ ids: [String]) throws -> [FeedImage] {
        try datastore().documents(ids).compactMap { $0.flatMap { FeedImage($0) } }
    }

    private static func page(_ images: [FeedImage], _ limit: Int) -> Page {
        let page = Array(images.prefix(limit))
        return Page(images: page, next: images.count > limit ? page.last?.order : nil)
    }

    // MARK: Tags

    /// Returns the tags with the numbers of their images. The most used tag is first. Tags with equal numbers are
    /// ordered by name.
    func tags(limit: Int) async throws -> [(label: String, count: Int)] {
        let sequence = try datastore().info().updateSequence
        if let counted = countedTags.withLock({ $0 }), counted.sequence == sequence {
            return Array(counted.tags.prefix(limit))
        }
        var query = ViewQuery()
        query.grouping = .exact
        query.limit = ImageFeed.tagsMax
        var tags: [(label: String, count: Int)] = []
        for try await row in try datastore().rows(of: "feed/tags", query) {
            guard let label = row.key.stringValue, let count = row.value.intValue else { continue }
            tags.append((label, count))
        }
        tags.sort { ($1.count, $0.label) < ($0.count, $1.label) }
        let sorted = tags
        countedTags.withLock { $0 = (sequence, sorted) }
        return Array(sorted.prefix(limit))
    }

    // MARK: Users

    func profile(_ id: String) throws -> Profile? {
        try datastore().documents([Profile.documentID(id)])[0].flatMap { Profile($0) }
    }

    /// Returns the first ``profilesMax`` profiles, the highest id first, as in the API of 2019.
    func profiles() throws -> [Profile] {
        try datastore().documents(in: Profile.range, limit: ImageFeed.profilesMax, descending: true).compactMap {
            Profile($0)
        }
    }

    /// Returns the full names of the owners of images. Owners without a profile are not in the result.
    func names(of images: [FeedImage]) throws -> FullNames {
        let owners = Set(images.map { Array($0.owner.utf8) }).map { String(decoding: $0, as: UTF8.self) }
        let profiles = try datastore().documents(owners.map(Profile.documentID))
        return FullNames(profiles.compactMap { $0.flatMap { Profile($0) } })
    }

    /// Returns the number of images of a user.
    func count(of user: String) async throws -> Int {
        var query = ViewQuery()
        query.key = .array(user.utf16.map { .integer(Int64($0)) })
        query.grouping = .exact
        for try await row in try datastore().rows(of: "feed/counts", query) { return row.value.intValue ?? 0 }
        return 0
    }

    // MARK: Changes

    /// Returns the changes that happen from now on.
    func events() -> AsyncStream<Event> { listeners.events() }

    /// Reads the changes of the database, and sends them to the streams of all clients. When the task is cancelled or
    /// the database is closed, ends these streams.
    func follow() async {
        defer { listeners.finish() }
        guard let datastore = try? datastore(), let sequence = try? datastore.info().updateSequence else { return }
        do {
            for try await change in datastore.changes(since: sequence, withDocuments: true) {
                if change.isDeleted {
                    listeners.send(.gone(id: change.id))
                } else if let image = change.document.flatMap({ FeedImage($0) }) {
                    listeners.send(.image(image))
                }
            }
        } catch {
            // The database was closed or deleted.
        }
    }
}
