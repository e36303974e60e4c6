//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Protects the bytes of attachments from removal while an upload or a read uses them. Without this protection, bytes
/// to which no revision refers are removed.
final class BlobRetention: Sendable {
    private struct State {
        /// The time of each upload's last progress. An entry is removed when the upload has ended, when its reservation
        /// is released, or when the blob is removed.
        var lastProgress: [Int64: Moment] = [:]
        /// The number of finished uploads of each blob that wait for their document.
        var waitingCounts: [Int64: Int] = [:]
        /// The unfinished blobs that are reserved for an upload (`UploadHold`), each with the number of its
        /// reservation. While a blob is reserved, no other upload of the same bytes may use it.
        var holdNumbers: [Int64: Int] = [:]
        /// The number of reservations so far, which is the number of the last reservation.
        var holdCount = 0
        /// The number of active readers of each blob.
        var readerCounts: [Int64: Int] = [:]
        /// The blobs that are being removed.
        var removing: Set<Int64> = []
    }

    private let state = Mutex(State())
    private let limits: StoreLimits

    init(limits: StoreLimits) { self.limits = limits }

    /// Whether no upload, read or removal is active. An upload without progress for `uploadIdleSecondsMax` is not
    /// active.
    var isQuiet: Bool {
        state.withLock { state in
            state.readerCounts.isEmpty && state.removing.isEmpty
                && state.lastProgress.values.allSatisfy { $0.secondsAgo > Double(limits.uploadIdleSecondsMax) }
        }
    }

    /// Records that an upload began or made progress.
    func uploadMoved(_ blob: Int64) { state.withLock { $0.lastProgress[blob] = .now } }

    /// Records that an upload has ended: its bytes belong to a document, are already in an equal blob, or were
    /// discarded.
    func uploadEnded(_ blob: Int64) {
        state.withLock { state in
            state.lastProgress[blob] = nil
            state.waitingCounts[blob] = nil
        }
    }

    /// Records that an upload has finished and waits for its document. Equal bytes of another upload may be in the same
    /// blob.
    func uploadWaits(_ blob: Int64) {
        state.withLock { state in
            state.lastProgress[blob] = .now
            state.waitingCounts[blob, default: 0] += 1
        }
    }

    /// Records that a finished upload does not wait for a document anymore.
    ///
    /// - Returns: Whether no other upload of the blob waits. Does nothing and returns `false` if none waited.
    func uploadStopsWaiting(_ blob: Int64) -> Bool {
        state.withLock { state in
            guard let count = state.waitingCounts[blob] else { return false }
            invariant(count > 0, "an upload that waits is counted")
            state.waitingCounts[blob] = count > 1 ? count - 1 : nil
            guard count == 1 else { return false }
            state.lastProgress[blob] = nil
            return true
        }
    }

    /// Reserves an unfinished blob for the one upload that continues it. An upload without progress for
    /// `uploadStalledSecondsMax` loses its reservation, because its connection may be lost.
    ///
    /// - Returns: `nil` if the blob is reserved for another upload.
    func hold(_ blob: Int64) -> UploadHold? {
        let number = state.withLock { state -> Int? in
            guard !isActive(blob, state) else { return nil }
            invariant(
                state.holdNumbers[blob].map { $0 <= state.holdCount } ?? true, "each reservation has a greater number")
            state.holdCount += 1
            state.holdNumbers[blob] = state.holdCount
            state.lastProgress[blob] = .now
            return state.holdCount
        }
        return number.map { UploadHold(blob, number: $0, retention: self) }
    }

    /// Whether an unfinished blob is reserved for an active upload.
    func isActive(_ blob: Int64) -> Bool { state.withLock { isActive(blob, $0) } }

    private func isActive(_ blob: Int64, _ state: State) -> Bool {
        guard state.holdNumbers[blob] != nil else { return false }
        return state.lastProgress[blob].map { $0.secondsAgo < Double(limits.uploadStalledSecondsMax) } ?? true
    }

    /// Whether a reservation is still valid.
    fileprivate func isHeld(_ blob: Int64, by number: Int) -> Bool { state.withLock { $0.holdNumbers[blob] == number } }

    /// Releases a reservation, so that the next upload can continue the blob.
    fileprivate func release(_ blob: Int64, by number: Int) {
        state.withLock { state in
            guard state.holdNumbers[blob] == number else { return }
            state.holdNumbers[blob] = nil
            state.lastProgress[blob] = nil
        }
    }

    /// Records that an upload has all its bytes. This ends the reservation of the blob.
    func uploadFinished(_ blob: Int64) { state.withLock { $0.holdNumbers[blob] = nil } }

    /// Whether an upload of the blob is active, or made progress within the last `uploadIdleSecondsMax`.
    func isUploaded(_ blob: Int64) -> Bool {
        state.withLock { state in
            state.holdNumbers[blob] != nil
                || state.lastProgress[blob].map { $0.secondsAgo <= Double(limits.uploadIdleSecondsMax) } == true
        }
    }

    /// Protects a blob for a reader.
    ///
    /// - Returns: `false` if the blob is being removed.
    func pin(_ blob: Int64) -> Bool {
        state.withLock { state in
            guard !state.removing.contains(blob) else { return false }
            state.readerCounts[blob, default: 0] += 1
            return true
        }
    }

    func unpin(_ blob: Int64) {
        state.withLock { state in
            invariant(state.readerCounts[blob] != nil, "an attachment that a reader leaves was protected")
            guard let count = state.readerCounts[blob] else { return }
            invariant(!state.removing.contains(blob), "an attachment that is read is not removed")
            state.readerCounts[blob] = count > 1 ? count - 1 : nil
        }
    }

    /// Reserves a blob for removal.
    ///
    /// - Returns: `false` if an upload or a reader uses the blob, or another task removes it.
    func claim(_ blob: Int64) -> Bool {
        state.withLock { state in
            guard !state.removing.contains(blob) else { return false }
            if let progressTime = state.lastProgress[blob] {
                guard progressTime.secondsAgo > Double(limits.uploadIdleSecondsMax) else { return false }
                state.lastProgress[blob] = nil
                state.waitingCounts[blob] = nil
            }
            guard state.readerCounts[blob] == nil else { return false }
            state.removing.insert(blob)
            return true
        }
    }

    /// Records that a removal is done.
    func removed(_ blob: Int64) {
        state.withLock { state in
            invariant(state.removing.contains(blob), "a removed attachment was reserved for removal")
            state.removing.remove(blob)
        }
    }
}

/// A reservation of an unfinished blob for one upload. The reservation ends when this object is deallocated, or when
/// the upload stalls and another upload reserves the blob.
final class UploadHold: Sendable {
    private let blob: Int64
    private let number: Int
    private let retention: BlobRetention

    fileprivate init(_ blob: Int64, number: Int, retention: BlobRetention) {
        self.blob = blob
        self.number = number
        self.retention = retention
    }

    deinit { retention.release(blob, by: number) }

    /// Whether another upload took over the blob. Read this property within a transaction, because uploads take over
    /// blobs within transactions.
    var isLost: Bool { !retention.isHeld(blob, by: number) }

    /// Records progress of the upload.
    func moved() { if !isLost { retention.uploadMoved(blob) } }
}
