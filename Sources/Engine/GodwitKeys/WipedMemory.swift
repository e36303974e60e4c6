//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase

/// Memory for a secret. It is overwritten with zeros when it is deallocated.
package final class WipedMemory: @unchecked Sendable {
    // Proof of `Sendable`: `fill` writes the memory before other code has a reference to this object. After that, the
    // memory is only read.
    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameter fill: Writes the secret into zeroed memory.
    init<Failure: Error>(
        byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        memory = .allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        // If `fill` throws an error, `deinit` runs and wipes the memory, because all properties are already
        // initialized.
        try fill(memory)
    }

    deinit {
        if let start = memory.baseAddress { godwit_wipe(start, memory.count) }
        memory.deallocate()
    }

    /// The number of bytes of the secret.
    package var count: Int { memory.count }

    /// Runs `body` with the secret. The object is not deallocated during the call. If a caller had only the pointer,
    /// the object could be deallocated while the pointer is used.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(memory))
    }
}
