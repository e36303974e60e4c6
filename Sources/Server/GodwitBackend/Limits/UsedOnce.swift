//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Remembers what was used and may not be used again before it expires.
final class UsedOnce: Sendable {
    private let expiries = Mutex<[ExactText: Int]>([:])
    private let now: @Sendable () -> Int

    /// Creates an empty memory.
    ///
    /// - Parameter now: A closure that returns the time in seconds since 1970.
    init(now: @escaping @Sendable () -> Int) { self.now = now }

    /// Marks an identifier as used.
    ///
    /// - Parameter expires: The time at which the identifier expires, in seconds since 1970.
    /// - Returns: Whether the identifier was not used before. The result is also `false` while the memory is full.
    func use(_ id: ExactText, expires: Int) -> Bool {
        let now = now()
        return expiries.withLock { expiries in
            guard expiries[id] == nil else { return false }
            if expiries.count >= BackendLimits.usedOnceMax { expiries = expiries.filter { $0.value > now } }
            guard expiries.count < BackendLimits.usedOnceMax else { return false }
            expiries[id] = expires
            invariant(expiries.count <= BackendLimits.usedOnceMax, "the table of used identifiers keeps its limit")
            return true
        }
    }
}
