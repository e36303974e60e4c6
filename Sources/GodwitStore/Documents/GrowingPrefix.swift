//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads

/// Eight bytes that start at random and grow by a small random step with each use.
final class GrowingPrefix: Sendable {
    // Half of the range is left, so that a process would have to make 2^47 ids before it wraps.
    private let value = Mutex(UInt64.random(in: 0...(UInt64.max >> 1)))

    func next() -> [UInt8] {
        let taken = value.withLock { value in
            value &+= UInt64.random(in: 1...65_536)
            return value
        }
        return withUnsafeBytes(of: taken.bigEndian) { Array($0) }
    }
}
