//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A number of eight bytes that begins at a random value and increases by a small random step with each use.
final class IncreasingPrefix: Sendable {
    // The start is in the lower half of the range, so that a process must create 2^47 ids before the value overflows.
    private let value = Mutex(UInt64.random(in: 0...(UInt64.max >> 1)))

    func next() -> [UInt8] {
        let newValue = value.withLock { value in
            value &+= UInt64.random(in: 1...65_536)
            return value
        }
        return withUnsafeBytes(of: newValue.bigEndian) { Array($0) }
    }
}
