//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// A lock for tasks, one for each key. Tasks that use the same key run one after another, in the order of their calls.
package final class KeyedAsyncLock<Key: Hashable & Sendable>: Sendable {
    /// The waiting tasks, by key. A key is present while its lock is held.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Creates an unlocked lock.
    package init() {}

    /// Runs `work` while it holds the lock of `key`. Waits for the tasks that called before with the same key.
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
