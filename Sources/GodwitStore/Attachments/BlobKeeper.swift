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
        /// Those of them that another upload of the same bytes could go on with, if this one did not; by the number of
        /// the hold.
        var held: [Int64: Int] = [:]
        /// How many holds there were.
        var holds = 0
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

    /// Takes an unfinished blob for the one upload that goes on with it. An upload that does not come on loses it: its
    /// connection may be gone without a word.
    ///
    /// - Returns: `nil` when another one goes on with it.
    func hold(_ blob: Int64) -> UploadHold? {
        let number = state.withLock { state -> Int? in
            guard !isUnderWay(blob, state) else { return nil }
            state.holds += 1
            state.held[blob] = state.holds
            state.uploads[blob] = .now
            return state.holds
        }
        return number.map { UploadHold(blob, number: $0, keeper: self) }
    }

    /// Whether an upload goes on with an unfinished blob.
    func isUnderWay(_ blob: Int64) -> Bool { state.withLock { isUnderWay(blob, $0) } }

    private func isUnderWay(_ blob: Int64, _ state: State) -> Bool {
        guard state.held[blob] != nil else { return false }
        return state.uploads[blob].map { $0.secondsAgo < Double(limits.uploadStalledSecondsMax) } ?? true
    }

    /// Whether an upload still has the blob that it took.
    fileprivate func isHeld(_ blob: Int64, by number: Int) -> Bool { state.withLock { $0.held[blob] == number } }

    /// An upload that is cut leaves its bytes to the next one.
    fileprivate func release(_ blob: Int64, by number: Int) {
        state.withLock { state in
            guard state.held[blob] == number else { return }
            state.held[blob] = nil
            state.uploads[blob] = nil
        }
    }

    /// An upload has all its bytes: nobody needs to go on with it.
    func uploadFinished(_ blob: Int64) { state.withLock { $0.held[blob] = nil } }

    /// Whether an upload is under way, or finished lately.
    func isUploaded(_ blob: Int64) -> Bool {
        state.withLock { state in
            state.held[blob] != nil
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

/// Keeps an unfinished blob for one upload, for as long as it is held and the upload comes on.
final class UploadHold: Sendable {
    private let blob: Int64
    private let number: Int
    private let keeper: BlobKeeper

    fileprivate init(_ blob: Int64, number: Int, keeper: BlobKeeper) {
        self.blob = blob
        self.number = number
        self.keeper = keeper
    }

    deinit { keeper.release(blob, by: number) }

    /// Whether another upload took the blob. Asked within a transaction, since it is taken within one.
    var isLost: Bool { !keeper.isHeld(blob, by: number) }

    /// The upload came on.
    func moved() { if !isLost { keeper.uploadMoved(blob) } }
}
