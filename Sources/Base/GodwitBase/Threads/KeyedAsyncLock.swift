//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Locks for asynchronous work, one lock for each key: tasks with the same key run one after the other.
public final class KeyedAsyncLock<Key: Hashable & Sendable>: Sendable {
    /// For each key, the tasks that wait for its lock. The dictionary contains a key as long as a task has the lock of
    /// the key.
    private let waitingTasks = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Creates unlocked locks.
    public init() {}

    /// Runs work with the lock of a key, in the isolation of the caller. Tasks with the same key run in the order of
    /// their calls. The cancellation of a task does not end its wait. The lock is not recursive: `work` must not use
    /// the lock of the same key.
    public func withLock<Result>(
        _ key: Key, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFirst = waitingTasks.withLock { waitingTasks in
                guard waitingTasks[key] != nil else {
                    waitingTasks[key] = []
                    return true
                }
                waitingTasks[key]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
        defer { end(key) }
        return try await work()
    }

    private func end(_ key: Key) {
        let next = waitingTasks.withLock { waitingTasks -> CheckedContinuation<Void, Never>? in
            invariant(waitingTasks[key] != nil, "a lock that is released was taken")
            guard waitingTasks[key]?.isEmpty == false else {
                waitingTasks[key] = nil
                return nil
            }
            return waitingTasks[key]?.removeFirst()
        }
        next?.resume()
    }
}
