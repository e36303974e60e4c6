//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Locks by name, for threads of the blocking pool. While one thread creates, opens or removes a database, no other
/// thread does so with the same database. Two databases share a lock if their names have equal hashes.
final class NameLocks: Sendable {
    private let locks = (0..<512).map { _ in Lock() }

    private final class Lock: Sendable {
        let mutex = Mutex<Void>(())
    }

    /// Runs `body` while the calling thread holds the lock of a name.
    func withLock<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        try locks[name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff } % locks.count].mutex.withLock { _ in try body()
        }
    }

    /// Waits until every lock that is held now was released.
    func waitForAll() {
        for lock in locks { lock.mutex.withLock { _ in } }
    }
}
