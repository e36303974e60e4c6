//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitDatabase

/// Sends the posts of one user, one after the other, in the order in which the user chose the pictures.
///
/// All steps can be repeated. After a restart, the queue repeats each step that the server has not acknowledged.
actor PostQueue {
    private static let idleSeconds = 3_600.0

    private let user: String
    private let store: PostStore
    private let client: FeedClient
    private let now: @Sendable () -> Date
    private let onChange: @Sendable () async -> Void
    private let pause = LoopPause()
    private var retry = RetryDelay()
    /// The reason why the queue waits before it tries again; `nil` if the last step succeeded.
    private(set) var trouble: String?

    /// - Parameters:
    ///   - user: The user whose posts are sent.
    ///   - now: A closure that returns the current time.
    ///   - onChange: A closure that is called after each change of a post or of the queue's state.
    init(
        of user: String, store: PostStore, client: FeedClient, now: @escaping @Sendable () -> Date,
        onChange: @escaping @Sendable () async -> Void
    ) {
        (self.user, self.store, self.client) = (user, store, client)
        (self.now, self.onChange) = (now, onChange)
    }

    /// Tries again at once. Call it after a new post, and when the network is back.
    func wake() async { await pause.wake() }

    /// Sends posts until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isOwn = { [user] (post: QueuedPost) in post.isWaiting && post.owner.utf8.elementsEqual(user.utf8) }
            guard let post = try? store.posts().first(where: isOwn) else {
                await pause.wait(seconds: PostQueue.idleSeconds)
                continue
            }
            do throws(FeedError) {
                try await advance(post)
                (retry, trouble) = (RetryDelay(), nil)
                await onChange()
            } catch {
                await take(error, of: post)
            }
        }
    }

    // MARK: Steps

    private func advance(_ post: QueuedPost) async throws(FeedError) {
        do throws(DeviceError) {
            if post.stage == .removing {
                try await client.remove(post.id)
                try await store.change(post.id) { $0.stage = .removed }
                return
            }
            if !post.isUploaded {
                let jpeg = try await store.picture(of: post.id)
                try await client.upload(jpeg, digest: post.digest, as: post.id)
                try await store.change(post.id) { $0.isUploaded = true }
            }
            // While the picture was being uploaded, the user may have pressed Post or removed the draft.
            guard let current = store.post(post.id), current.stage == .posted else { return }
            try await client.post(current)
            try await store.change(current.id) { [now] post in
                // If the user has removed the post in the meantime, its stage must not be changed.
                if post.stage == .posted { (post.stage, post.acknowledged) = (.sent, now()) }
            }
        } catch {
            throw (error.cause as? FeedError) ?? FeedError(.refused, error.message)
        }
    }

    private func take(_ error: FeedError, of post: QueuedPost) async {
        switch error.kind {
        case .unreachable, .signedOut:
            trouble = error.message
            await onChange()
            await pause.wait(seconds: max(retry.next(), error.retrySeconds ?? 0))
        case .notUploaded:
            _ = try? await store.change(post.id) { $0.isUploaded = false }
            await pause.wait(seconds: retry.next())
        case .gone where post.stage == .removing:
            _ = try? await store.change(post.id) { $0.stage = .removed }
            await onChange()
        case .gone, .refused:
            _ = try? await store.change(post.id) { $0.refusal = error.message }
            await onChange()
        }
    }
}
