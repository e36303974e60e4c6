//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads
import HTTPTypes

/// Where passwords are hashed: on threads of its own, few of them, so that logins never hold up the store's.
package enum PasswordWork {
    private static let threadsMax = 2
    /// Hashes that may wait; further ones are refused.
    private static let waitingMax = 64

    private static let pool = BlockingPool(threadsMax: threadsMax)
    private static let waiting = Mutex(0)

    /// Runs slow work with passwords.
    ///
    /// - Throws: ``HTTPFailure`` with status 503 when too many wait.
    package static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws -> Result {
        let isFull = waiting.withLock { waiting in
            guard waiting < waitingMax else { return true }
            waiting += 1
            return false
        }
        guard !isFull else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable", "Too many logins at once. Try again in a while.")
        }
        defer { waiting.withLock { $0 -= 1 } }
        return try await pool.run(work)
    }
}
