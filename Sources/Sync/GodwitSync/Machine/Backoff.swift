//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitTransport

/// Computes the wait before another attempt of a step. The wait grows with each failure. A part of the wait is random,
/// so that many clients do not retry at the same time.
package struct Backoff: Sendable {
    private let limits: ReplicationLimits
    private var random: SplitMix

    /// Creates a backoff. Equal seeds give equal waits.
    package init(limits: ReplicationLimits, seed: UInt64) {
        self.limits = limits
        random = SplitMix(state: seed)
    }

    /// Returns the wait before the next attempt, in seconds. The wait is not shorter than the time that the server
    /// requested, and not longer than a limit.
    ///
    /// - Parameter failureCount: The number of failures of the step, at least 1.
    package mutating func seconds(after failureCount: Int, _ error: ReplicationError) -> Double {
        invariant(failureCount > 0, "a wait follows a failure")
        let doubledSeconds = limits.retrySeconds * Double(1 << min(failureCount - 1, 30))
        let randomSeconds = min(doubledSeconds, limits.retrySecondsMax) * Double.random(in: 0.5...1, using: &random)
        return max(randomSeconds, min(error.retryAfterSeconds ?? 0, limits.retryAfterSecondsMax))
    }
}

/// A generator of random numbers with a seed. (Steele, Lea and Flood, Fast splittable pseudorandom number generators,
/// 2014)
package struct SplitMix: RandomNumberGenerator, Sendable {
    /// The state of the generator. It determines all further numbers.
    package var state: UInt64

    /// Creates a generator. `state` is the seed: equal seeds give equal numbers.
    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
