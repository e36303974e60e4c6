//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitDatabase

/// Stores the posts and removals that are not finished, together with the pictures of the posts. They are on disk.
final class PostStore: Sendable {
    /// The maximum number of posts and removals. Further ones are refused.
    static let postsMax = 500
    private static let pictureName = "picture.jpg"
    private static let pictureBytesMax = 16 << 20

    private let datastore: Datastore

    init(_ datastore: Datastore) { self.datastore = datastore }

    /// Returns all posts, in the order in which the user chose the pictures.
    func posts() throws(DeviceError) -> [QueuedPost] {
        do throws(StoreError) {
            let documents = try datastore.documents(limit: PostStore.postsMax * 2)
            return documents.compactMap { QueuedPost($0) }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        } catch {
            throw DeviceError(store: error)
        }
    }

    func post(_ id: String) -> QueuedPost? { (try? datastore.document(id)).flatMap { QueuedPost($0) } }

    /// Stores a post. It is on disk when the call returns.
    ///
    /// - Parameter jpeg: The picture; `nil` for a removal, which needs no picture.
    /// - Throws: ``DeviceError`` with code `storage` if there are too many posts, or if a post with this id exists.
    func add(_ post: QueuedPost, jpeg: [UInt8]?) async throws(DeviceError) {
        let picture: Attachments? = jpeg.map { [PostStore.pictureName: .data($0, contentType: "image/jpeg")] }
        do throws(StoreError) {
            guard try datastore.info().documentCount < PostStore.postsMax else {
                throw StoreError(.overloaded, "Too many posts wait. Post again when there is a network.")
            }
            _ = try await datastore.create(Document(id: post.id, body: post.body, attachments: picture ?? [:]))
        } catch {
            guard error.code != .overloaded else { throw DeviceError(.storage, error.message, cause: error) }
            throw DeviceError(store: error)
        }
    }

    func picture(of id: String) async throws(DeviceError) -> [UInt8] {
        do throws(StoreError) {
            guard let picture = try datastore.document(id).attachments[PostStore.pictureName] else {
                throw StoreError(.notFound, "The post has no picture.")
            }
            return try await datastore.bytes(of: picture).collect(bytesMax: PostStore.pictureBytesMax)
        } catch {
            throw DeviceError(store: error)
        }
    }

    /// Changes a post. Does nothing if the post no longer exists.
    ///
    /// - Returns: The changed post; `nil` if the post no longer exists.
    @discardableResult
    func change(_ id: String, _ edit: @Sendable (inout QueuedPost) -> Void) async throws(DeviceError) -> QueuedPost? {
        while true {
            do throws(StoreError) {
                var document = try datastore.document(id)
                guard var post = QueuedPost(document) else { return nil }
                edit(&post)
                document.body = post.body
                _ = try await datastore.update(document)
                return post
            } catch {
                // A conflict occurs if the user and the queue change the same post at the same time. In this case, the
                // change is tried again.
                if error.code == .conflict { continue }
                if [.notFound, .deleted].contains(error.code) { return nil }
                throw DeviceError(store: error)
            }
        }
    }

    /// Removes a post from the device, with its picture.
    func remove(_ id: String) async throws(DeviceError) {
        do throws(StoreError) {
            try await datastore.purge(id)
        } catch {
            throw DeviceError(store: error)
        }
    }
}
