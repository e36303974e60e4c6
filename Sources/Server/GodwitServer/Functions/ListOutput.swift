//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// A buffer for the output of a list function. If the client reads slowly, the function does not wait for the client
/// until the buffer is full. Therefore, the function usually ends before the client has read everything, and its
/// process can then run other functions.
final class ListOutput: @unchecked Sendable {
    // Proof of `Sendable`: the function writes one piece after the other. Each task waits for the end of the previous
    // task before it uses the response. After `settled()`, no task begins.
    private let response: ServerResponse
    private let budget: ListOutputBudget
    private var lastTask: Task<Void, any Error>?
    private let state = Mutex(State())

    private struct State {
        /// The number of bytes that the function has written but that are not sent yet.
        var bytes = 0
        /// The error because of which no more bytes are sent.
        var failure: (any Error)?
    }

    init(_ response: ServerResponse, budget: ListOutputBudget) {
        self.response = response
        self.budget = budget
    }

    /// Adds bytes to the output. If the buffer is full, waits until the client has read the earlier bytes.
    func say(_ bytes: [UInt8]) async throws {
        if let failure = state.withLock(\.failure) { throw failure }
        guard reserve(for: bytes.count) else {
            try await settled()
            return try await response.write(bytes)
        }
        let previousTask = lastTask
        lastTask = Task {
            defer { release(bytes.count) }
            do {
                try await previousTask?.value
                try await response.write(bytes)
            } catch {
                state.withLock { $0.failure = error }
                throw error
            }
        }
    }

    /// Waits until all bytes are sent. Throws an error if the bytes could not be sent.
    func settled() async throws {
        try await lastTask?.value
        lastTask = nil
    }

    /// Reserves bytes in the buffer and in the budget. Returns `false` if the buffer or the budget is exhausted.
    private func reserve(for count: Int) -> Bool {
        state.withLock { state in
            guard state.bytes + count <= ServerLimits.listBytesAheadMax, budget.take(count) else { return false }
            state.bytes += count
            return true
        }
    }

    private func release(_ count: Int) {
        state.withLock { $0.bytes -= count }
        budget.release(count)
    }
}

/// The memory budget for the unsent output of all list functions of a server.
final class ListOutputBudget: Sendable {
    private let bytes = Mutex(0)

    /// Reserves bytes. Returns `false` when the budget is exhausted.
    func take(_ count: Int) -> Bool {
        bytes.withLock { bytes in
            guard bytes + count <= ServerLimits.listsBytesAheadMax else { return false }
            bytes += count
            return true
        }
    }

    func release(_ count: Int) { bytes.withLock { $0 -= count } }
}
