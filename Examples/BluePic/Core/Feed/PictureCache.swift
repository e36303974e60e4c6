//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitDatabase
import Synchronization

/// The pictures that the user has seen, encrypted on the device. If there are too many pictures, or if they are too
/// large together, the oldest pictures are removed.
final class PictureCache: Sendable {
    /// The maximum number of bytes of all pictures.
    static let bytesMax = 96 << 20
    /// The maximum number of pictures.
    static let countMax = 4_000
    /// The number of removed bytes after which the file is compacted.
    private static let compactionBytes = 32 << 20
    private static let name = "picture.jpg"
    private static let pictureBytesMax = 16 << 20

    private struct Entry {
        let id: String
        let byteCount: Int
        let time: Double
    }

    private struct State {
        /// The pictures, the oldest first.
        var entries: [Entry] = []
        var byteCount = 0
        var removedBytes = 0
    }

    private let datastore: Datastore
    private let state: Mutex<State>

    init(_ datastore: Datastore) throws(StoreError) {
        self.datastore = datastore
        var state = State()
        let documents = try datastore.documents(limit: PictureCache.countMax * 2)
        state.entries = documents.compactMap { document in
            guard let id = document.id, let byteCount = document.body["bytes"]?.intValue else { return nil }
            return Entry(id: id, byteCount: byteCount, time: document.body["time"]?.doubleValue ?? 0)
        }
        .sorted { $0.time < $1.time }
        state.byteCount = state.entries.reduce(0) { $0 + $1.byteCount }
        self.state = Mutex(state)
    }

    /// Returns a picture; `nil` if it is not stored.
    func picture(_ id: String) async -> [UInt8]? {
        guard let attachment = (try? datastore.document(id))?.attachments[PictureCache.name] else { return nil }
        return try? await datastore.bytes(of: attachment).collect(bytesMax: PictureCache.pictureBytesMax)
    }

    /// Removes a picture. Does nothing if it is not stored.
    func remove(_ id: String) async {
        let isKnown = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return false }
            let entry = state.entries.remove(at: index)
            state.byteCount -= entry.byteCount
            state.removedBytes += entry.byteCount
            return true
        }
        if isKnown { _ = try? await datastore.purge(id) }
    }

    /// Stores a picture. Does nothing if a picture with this id is stored. If there are too many pictures or bytes, the
    /// pictures that were stored first are removed.
    func keep(_ jpeg: [UInt8], as id: String) async throws(StoreError) {
        let time = Date().timeIntervalSince1970
        let document = Document(
            id: id, body: ["bytes": .integer(Int64(jpeg.count)), "time": .double(time)],
            attachments: [PictureCache.name: .data(jpeg, contentType: "image/jpeg")])
        do throws(StoreError) {
            _ = try await datastore.create(document)
        } catch {
            // In the meantime, another request has stored the picture.
            guard error.code == .conflict else { throw error }
            return
        }
        let removed = state.withLock { state in
            state.entries.append(Entry(id: id, byteCount: jpeg.count, time: time))
            state.byteCount += jpeg.count
            var removed: [Entry] = []
            while state.byteCount > PictureCache.bytesMax || state.entries.count > PictureCache.countMax {
                let oldest = state.entries.removeFirst()
                state.byteCount -= oldest.byteCount
                state.removedBytes += oldest.byteCount
                removed.append(oldest)
            }
            return removed
        }
        for entry in removed { _ = try? await datastore.purge(entry.id) }
        let isCompacted = state.withLock { state in
            guard state.removedBytes > PictureCache.compactionBytes else { return false }
            state.removedBytes = 0
            return true
        }
        if isCompacted { _ = try? await datastore.compact() }
    }
}
