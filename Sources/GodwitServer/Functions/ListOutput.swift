//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// What a list function says, on its way to a client that may read slowly. As long as there is room the function does not wait
/// for the client, so that its process is free as soon as it is done.
final class ListOutput: @unchecked Sendable {
    // Proof of `Sendable`: the function says one thing after the other; each task that uses the answer begins when the one
    // before has ended, and who asks for `settled()` begins nothing more.
    private let response: ServerResponse
    private let budget: ListOutputBudget
    private var last: Task<Void, any Error>?
    private let state = Mutex(State())

    private struct State {
        /// Bytes that are said and not sent.
        var bytes = 0
        /// Why the client gets no more.
        var failure: (any Error)?
    }

    init(_ response: ServerResponse, budget: ListOutputBudget) {
        self.response = response
        self.budget = budget
    }

    /// Sends bytes after those before them; waits for the client when there is no room for them.
    func say(_ words: [UInt8]) async throws {
        if let failure = state.withLock(\.failure) { throw failure }
        guard reserves(for: words.count) else {
            try await settled()
            return try await response.write(words)
        }
        let before = last
        last = Task {
            defer { release(words.count) }
            do {
                try await before?.value
                try await response.write(words)
            } catch {
                state.withLock { $0.failure = error }
                throw error
            }
        }
    }

    /// Returns when all that was said is sent.
    func settled() async throws {
        try await last?.value
        last = nil
    }

    private func reserves(for count: Int) -> Bool {
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

/// The memory of what all list functions of a server have said and their clients have not taken.
final class ListOutputBudget: Sendable {
    private let bytes = Mutex(0)

    /// Whether there was room, which is taken then.
    func take(_ count: Int) -> Bool {
        bytes.withLock { bytes in
            guard bytes + count <= ServerLimits.listsBytesAheadMax else { return false }
            bytes += count
            return true
        }
    }

    func release(_ count: Int) { bytes.withLock { $0 -= count } }
}
