//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The delays between the attempts to reach a server. The first delay is 1 s. Each further delay is twice as long, up
/// to 10 s.
public struct RetryDelay: Sendable {
    private static let secondsMax = 10.0
    private var seconds = 1.0

    /// Creates the sequence of delays. The first delay is 1 s.
    public init() {}

    /// Returns the time before the next attempt, in seconds: first 1, then twice the previous time, but at most 10.
    public mutating func next() -> Double {
        defer { seconds = min(seconds * 2, RetryDelay.secondsMax) }
        return seconds
    }
}
