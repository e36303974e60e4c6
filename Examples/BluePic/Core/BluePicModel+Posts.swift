//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
public import DeviceKit
import Foundation
import GodwitDatabase

extension BluePicModel {
    /// The maximum width of a posted picture in pixels.
    static let widthMax = 600
    private static let quality = 0.85
    /// The maximum height of a posted picture in pixels.
    private static let heightMax = 4 * widthMax
    /// The maximum length of a caption, in characters.
    public static let captionLengthMax = 1_000
    /// An acknowledged post is shown until its image is in the feed. If the image is not in the feed after this time,
    /// in seconds, the post is removed from the device.
    private static let sentSecondsMax = 600.0

    /// Begins to send posts.
    func startQueue() async {
        queueTask?.cancel()
        await queueTask?.value
        guard let store, let access, let user else { return }
        let queue = PostQueue(of: user, store: store.posts, client: client(access), now: configuration.now) {
            [weak self] in await self?.queueChanged()
        }
        self.queue = queue
        queueTask = Task { await queue.run() }
    }

    private func queueChanged() async {
        if let reason = await queue?.trouble { trouble = reason } else if isOnline { trouble = nil }
        await removeFinishedPosts()
        await refresh()
    }

    /// Removes acknowledged posts and acknowledged removals that are finished. An acknowledged post is finished in two
    /// cases: its image is in the feed of the device, or the acknowledgment is too old. A removal is finished if its
    /// image is no longer in the feed.
    func removeFinishedPosts() async {
        guard let store else { return }
        let now = configuration.now()
        for post in (try? store.posts.posts()) ?? [] {
            let isInFeed = store.feed.photo(post.id) != nil
            let isFinished =
                switch post.stage {
                case .sent:
                    isInFeed || now.timeIntervalSince(post.acknowledged ?? post.created) > Self.sentSecondsMax
                case .removed: !isInFeed
                case .draft, .posted, .removing: false
                }
            if isFinished { try? await store.posts.remove(post.id) }
        }
    }

    /// Stores a picture that the user took or chose, and begins to upload it. When the call returns, the picture is on
    /// disk. The stored picture is upright, is at most 600 pixels wide, and contains no data of the camera. Call
    /// ``post(_:caption:)`` to post it.
    ///
    /// - Parameters:
    ///   - file: A JPEG or PNG file.
    ///   - token: The id of the post. Repeated calls with the same id store the picture only once.
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` if no user is signed in, `unsupported`, `tooLarge`
    ///   or `input` if the file is not a usable picture, or `storage` if the picture cannot be stored, for example
    ///   because too many posts wait.
    public func choose(_ file: [UInt8], token: String? = nil) async throws(DeviceError) -> QueuedPost {
        let (store, user, _) = try signedIn()
        let id = token ?? UUID().uuidString.lowercased()
        if let known = store.posts.post(id) { return known }
        let copy = try await narrowCopy(of: file)
        let now = configuration.now()
        let digest = SHA256.hash(data: copy.jpeg).map { String(format: "%02x", $0) }.joined()
        let post = QueuedPost(
            id: id, owner: user, fileName: now.pictureName(), width: copy.width, height: copy.height, digest: digest,
            created: now)
        try await store.posts.add(post, jpeg: copy.jpeg)
        await refresh()
        await queue?.wake()
        return post
    }

    /// Returns an upright copy that is not wider than the limit.
    private func narrowCopy(of file: [UInt8]) async throws(DeviceError) -> ProcessedPhoto {
        let processor = configuration.processor
        let copy = try await processor.copy(of: file, longestSide: Self.widthMax, quality: Self.quality)
        guard copy.height > copy.width, copy.width < Self.widthMax else { return copy }
        // The processor limits the longest side. This picture is higher than it is wide, so the maximum height is
        // computed from the maximum width.
        let height = min(Self.widthMax * copy.height / max(copy.width, 1), Self.heightMax)
        return try await processor.copy(of: file, longestSide: height, quality: Self.quality)
    }

    /// Posts a chosen picture. The post is sent when there is a network. Does nothing if the picture was posted before.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `input` if the caption is too long, `notFound` if there is
    ///   no such post or it was removed, or `locked` if no user is signed in.
    public func post(_ id: String, caption: String) async throws(DeviceError) {
        let (store, _, _) = try signedIn()
        guard caption.count <= Self.captionLengthMax else {
            throw DeviceError(.input, "The caption is longer than \(Self.captionLengthMax) characters.")
        }
        let changed = try await store.posts.change(id) { post in
            guard post.stage == .draft else { return }
            (post.stage, post.caption) = (.posted, caption)
        }
        guard let changed, !changed.isRemoval else {
            throw DeviceError(.notFound, "The picture is not on this device any more.")
        }
        await refresh()
        await queue?.wake()
    }

    /// Sends a refused post again. Does nothing if the post does not exist.
    public func retry(_ id: String) async throws(DeviceError) {
        try await signedIn().store.posts.change(id) { $0.refusal = nil }
        await refresh()
        await queue?.wake()
    }

    /// Removes a draft, an unsent post, or an image of the user. The removal on this device is immediate. The removal
    /// on the server follows when there is a network.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `notFound` if the device has no such post or image of the
    ///   user.
    public func remove(_ id: String) async throws(DeviceError) {
        let (store, user, _) = try signedIn()
        let changed = try await store.posts.change(id) { ($0.stage, $0.refusal) = (.removing, nil) }
        if changed == nil {
            guard let photo = store.feed.photo(id), photo.owner == user else {
                throw DeviceError(.notFound, "You have no such photo.")
            }
            let removal = QueuedPost(
                id: id, owner: user, fileName: "", width: 0, height: 0, digest: "", created: configuration.now(),
                stage: .removing)
            try await store.posts.add(removal, jpeg: nil)
        }
        await refresh()
        await queue?.wake()
    }

    /// Returns the images that the screens show, the newest first. If a post or a removal of an image is not finished,
    /// the image is omitted. Therefore a page may have fewer images than `limit`.
    ///
    /// - Parameters:
    ///   - position: The position after which the page begins; `nil` for the first page.
    ///   - user: The owner; `nil` for all.
    public func images(
        after position: String? = nil, of user: String? = nil, limit: Int
    ) async throws(DeviceError) -> FeedStore.Page {
        let store = try opened()
        // The unfinished removals are read before the page. In the opposite order, a removal could be finished between
        // the two reads, and its image would be shown.
        let hidden = Set(try store.posts.posts().map(\.id))
        let page = try await store.feed.page(after: position, of: user, limit: limit)
        return FeedStore.Page(photos: page.photos.filter { !hidden.contains($0.id) }, next: page.next)
    }

    // MARK: The profile

    /// Changes the full name of the user. The call needs a network.
    public func rename(_ name: String) async throws(DeviceError) {
        let (_, user, client) = try signedIn()
        try await client.rename(user, to: name)
        profileName = name
    }

    /// Makes an image of the user the picture of the profile. The call needs a network.
    public func setProfilePicture(_ id: String) async throws(DeviceError) {
        let (_, user, client) = try signedIn()
        try await client.setPicture(of: user, to: id)
        portraitTimes[user] = nil
        profilePicture = id
    }
}
