//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The stored bytes that readers, uploads and backups use. The collection, which removes files without references, does
/// not remove the files of these bytes.
final class BlobPins: Sendable {
    private struct State {
        var pinned: [BlobID: Int] = [:]
        var collecting: Set<BlobID> = []
        /// The number of backups in progress. While a backup is in progress, no file is removed.
        var holdCount = 0
    }

    private static let waitMicroseconds: UInt32 = 500

    private let state = Mutex(State())

    /// Pins stored bytes. While the collection is removing some of these bytes, this call blocks.
    func pin(_ blobs: some Sequence<BlobID>) {
        let blobs = Array(blobs)
        while !tryPin(blobs) { usleep(BlobPins.waitMicroseconds) }
    }

    private func tryPin(_ blobs: [BlobID]) -> Bool {
        state.withLock { state in
            guard blobs.allSatisfy({ !state.collecting.contains($0) }) else { return false }
            for blob in blobs { state.pinned[blob, default: 0] += 1 }
            return true
        }
    }

    /// Pins the bytes of a stored object for a reader. This call does not wait for the collection. If the collection is
    /// just removing some of these bytes, reading them fails. This happens only if the object was deleted or replaced,
    /// because otherwise the bytes still have references.
    func pinReading(_ pieces: [Piece]) {
        state.withLock { state in
            for piece in pieces { state.pinned[piece.blob, default: 0] += 1 }
        }
    }

    func unpin(_ blobs: some Sequence<BlobID>) {
        state.withLock { state in
            for blob in blobs {
                invariant(state.pinned[blob] != nil, "bytes are released as often as they were pinned")
                let count = (state.pinned[blob] ?? 1) - 1
                state.pinned[blob] = count == 0 ? nil : count
            }
        }
    }

    /// Begins to remove stored bytes.
    ///
    /// - Returns: `false` if they are in use.
    func beginCollecting(_ blob: BlobID) -> Bool {
        state.withLock { state in
            guard state.holdCount == 0, state.pinned[blob] == nil else { return false }
            return state.collecting.insert(blob).inserted
        }
    }

    func endCollecting(_ blob: BlobID) {
        state.withLock { state in
            let removed = state.collecting.remove(blob)
            invariant(removed != nil, "a removal that ends has begun")
        }
    }

    /// Prevents the removal of all files until ``release()``, and waits until the removals in progress have ended.
    /// Blocks the thread.
    func hold() {
        state.withLock { $0.holdCount += 1 }
        while state.withLock({ !$0.collecting.isEmpty }) { usleep(BlobPins.waitMicroseconds) }
    }

    func release() {
        state.withLock { state in
            state.holdCount -= 1
            invariant(state.holdCount >= 0, "a backup releases what it holds, once")
        }
    }
}
