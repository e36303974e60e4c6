//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitObjectStore

/// Removes pictures that belong to no image: pictures that were uploaded but not posted in time, and pictures that
/// remained after a crash.
struct OrphanSweeper: Sendable {
    let feed: ImageFeed
    let storage: PictureStorage
    /// The time between two sweeps, in seconds.
    let intervalSeconds: Double
    /// An uploaded picture is removed if it was not posted within this time, in seconds.
    let uploadSecondsMax: Double
    let log: ModuleLog

    /// Sweeps until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do throws(ObjectError) {
                let count = try await sweep()
                if count > 0 { log.note("removed \(count) pictures without an image") }
            } catch {
                log.warn("pictures without an image could not be removed: \(error.message)")
            }
            try? await Task.sleep(for: .seconds(intervalSeconds))
        }
    }

    /// Removes objects that belong to no image and are old enough, page by page.
    ///
    /// - Returns: The number of removed objects.
    func sweep() async throws(ObjectError) -> Int {
        var (last, count): (String?, Int) = (nil, 0)
        repeat {
            let (entries, next) = try await storage.entries(after: last)
            let oldest = Date().timeIntervalSince1970 - uploadSecondsMax
            for entry in entries where entry.modified < oldest && !Task.isCancelled {
                if try await remove(entry) { count += 1 }
            }
            last = next
        } while last != nil && !Task.isCancelled
        return count
    }

    /// Removes an object if it belongs to no image. A post with the same id waits until this method has ended. After
    /// that, the post finds the picture, or it is refused because the picture was removed.
    private func remove(_ entry: PictureStorage.Entry) async throws(ObjectError) -> Bool {
        let result = await storage.locks.withLock(entry.id) { () async -> Result<Bool, ObjectError> in
            do throws(ObjectError) {
                guard !mayHaveImage(entry) else { return .success(false) }
                try await storage.store.delete(entry.name, in: PictureStorage.container)
                return .success(true)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Whether an object may belong to an image. If the database cannot be read, the result is `true`.
    private func mayHaveImage(_ entry: PictureStorage.Entry) -> Bool {
        do {
            return try feed.image(entry.id)?.isOwned(by: entry.owner) ?? false
        } catch {
            return true
        }
    }
}
