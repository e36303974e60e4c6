//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
public import GodwitDatabase

/// The encrypted databases of the app on a device.
public final class BluePicStore: Sendable {
    /// The databases. If the device is reported lost, they are deleted.
    public let manager: DatastoreManager
    /// The feed.
    public let feed: FeedStore
    let posts: PostStore
    let pictures: PictureCache
    private let state: StateDocument

    /// The stored state of the app.
    struct StoredState: Equatable {
        /// Whether the user has chosen to sign in later.
        var isLater = false
        /// The start of the feed's window; `nil` before the first window.
        var windowBegin: String?
    }

    /// Opens the databases. Databases that do not exist are created.
    init(folder: String, key: EncryptionKey) async throws(DeviceError) {
        do throws(StoreError) {
            manager = try DatastoreManager(directory: folder, key: key)
        } catch {
            throw DeviceError(store: error)
        }
        do throws(StoreError) {
            feed = try await FeedStore(try await manager.datastore(named: "feed"))
            posts = PostStore(try await manager.datastore(named: "queue"))
            pictures = try PictureCache(try await manager.datastore(named: "pictures"))
            state = StateDocument(in: try await manager.datastore(named: "device"))
        } catch {
            await manager.close()
            throw DeviceError(store: error)
        }
    }

    /// Completes the operations in progress and closes the files.
    func close() async { await manager.close() }

    func storedState() -> StoredState {
        let body = state.read()
        return StoredState(
            isLater: body["isLater"]?.boolValue ?? false, windowBegin: body["windowBegin"]?.stringValue)
    }

    func store(_ newState: StoredState) async throws(DeviceError) {
        var body: JSONObject = ["isLater": .bool(newState.isLater)]
        if let begin = newState.windowBegin { body["windowBegin"] = .string(begin) }
        do throws(StoreError) {
            try await state.write(body)
        } catch {
            throw DeviceError(store: error)
        }
    }
}
