//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// A lock for asynchronous work, one per key: tasks with the same key run one after the other.
package final class KeyedAsyncLock<Key: Hashable & Sendable>: Sendable {
    /// The waiting tasks, keyed by the lock's key. A key exists while a task holds its lock.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Creates unlocked locks.
    package init() {}

    /// Runs work while holding the lock of a key. Tasks with the same key run in the order of their calls.
    package func withLock<Result>(_ key: Key, _ work: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
        defer { end(key) }
        return try await work()
    }

    private func end(_ key: Key) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}
