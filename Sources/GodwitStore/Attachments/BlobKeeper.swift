//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads

/// Keeps the bytes of attachments that no revision refers to but somebody works with: uploads and reads under way.
final class BlobKeeper: Sendable {
    private struct State {
        /// When each upload last moved; it lasts until a revision refers to its bytes.
        var uploads: [Int64: Moment] = [:]
        /// Those of them that another upload of the same bytes could go on with, if this one did not.
        var held: Set<Int64> = []
        /// How many read each blob now.
        var readers: [Int64: Int] = [:]
        /// Being removed.
        var removing: Set<Int64> = []
    }

    private let state = Mutex(State())
    private let limits: StoreLimits

    init(limits: StoreLimits) { self.limits = limits }

    /// Whether nobody uploads or reads, and nothing is being removed. An upload that rests for too long is over.
    var isQuiet: Bool {
        state.withLock { state in
            state.readers.isEmpty && state.removing.isEmpty
                && state.uploads.values.allSatisfy { $0.secondsAgo > Double(limits.uploadIdleSecondsMax) }
        }
    }

    /// An upload began or moved.
    func uploadMoved(_ blob: Int64) { state.withLock { $0.uploads[blob] = .now } }

    /// An upload is over: its bytes became a document's, or those of another blob.
    func uploadEnded(_ blob: Int64) { state.withLock { _ = $0.uploads.removeValue(forKey: blob) } }

    /// Takes an unfinished blob for the one upload that goes on with it.
    ///
    /// - Returns: `nil` when another one does.
    func hold(_ blob: Int64) -> UploadHold? {
        let isFree = state.withLock { state in
            guard state.held.insert(blob).inserted else { return false }
            state.uploads[blob] = .now
            return true
        }
        return isFree ? UploadHold(blob, keeper: self) : nil
    }

    /// An upload that is cut leaves its bytes to the next one.
    fileprivate func release(_ blob: Int64) {
        state.withLock { state in
            if state.held.remove(blob) != nil { state.uploads[blob] = nil }
        }
    }

    /// An upload has all its bytes: nobody needs to go on with it.
    func uploadFinished(_ blob: Int64) { state.withLock { _ = $0.held.remove(blob) } }

    /// Whether an upload is under way, or finished lately.
    func isUploaded(_ blob: Int64) -> Bool {
        state.withLock { state in
            state.held.contains(blob)
                || state.uploads[blob].map { $0.secondsAgo <= Double(limits.uploadIdleSecondsMax) } == true
        }
    }

    /// Keeps a blob for a reader.
    ///
    /// - Returns: `false` when it is being removed.
    func pin(_ blob: Int64) -> Bool {
        state.withLock { state in
            guard !state.removing.contains(blob) else { return false }
            state.readers[blob, default: 0] += 1
            return true
        }
    }

    func unpin(_ blob: Int64) {
        state.withLock { state in
            guard let count = state.readers[blob] else { return }
            state.readers[blob] = count > 1 ? count - 1 : nil
        }
    }

    /// Takes a blob for removal.
    ///
    /// - Returns: `false` when somebody uploads or reads it.
    func claim(_ blob: Int64) -> Bool {
        state.withLock { state in
            if let moved = state.uploads[blob] {
                guard moved.secondsAgo > Double(limits.uploadIdleSecondsMax) else { return false }
                state.uploads[blob] = nil
            }
            guard state.readers[blob] == nil else { return false }
            state.removing.insert(blob)
            return true
        }
    }

    /// A removal is done.
    func removed(_ blob: Int64) { state.withLock { _ = $0.removing.remove(blob) } }
}

/// Keeps an unfinished blob for one upload, for as long as it is held.
final class UploadHold: Sendable {
    private let blob: Int64
    private let keeper: BlobKeeper

    fileprivate init(_ blob: Int64, keeper: BlobKeeper) {
        self.blob = blob
        self.keeper = keeper
    }

    deinit { keeper.release(blob) }
}
