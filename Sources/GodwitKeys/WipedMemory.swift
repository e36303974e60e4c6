//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CKeys

/// Memory for a secret, overwritten with zeros before it is given back.
package final class WipedMemory: @unchecked Sendable {
    // Proof of `Sendable`: it is written by `fill` alone, before anybody else has it, and read from then on.
    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameter fill: Writes the secret into memory that holds zeros.
    init<Failure: Error>(
        byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        memory = .allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        // From here on `deinit` runs when this throws.
        try fill(memory)
    }

    deinit {
        if let start = memory.baseAddress { godwit_wipe(start, memory.count) }
        memory.deallocate()
    }

    package var count: Int { memory.count }

    /// Runs `body` with the secret, which stays until it returns: a pointer alone would not keep it.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(memory))
    }
}
