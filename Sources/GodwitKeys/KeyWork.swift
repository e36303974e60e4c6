//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// Runs what takes a processor for a third of a second, or waits for the disk, on threads of its own: Swift's tasks go on
/// meanwhile. Few run at a time, since each derivation takes 128 MB.
enum KeyWork {
    private static let turns = Turns(KeyLimits.derivationsMax)

    /// Runs `body` when its turn comes, and gives its result.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(KeyError) -> Result
    ) async throws(KeyError) -> Result {
        await turns.take()
        let outcome = await withCheckedContinuation { continuation in
            let isStarted = BlockingThread.start { continuation.resume(returning: Swift.Result(catching: body)) }
            if !isStarted {
                let error = KeyError(.unavailable, "The system gives no thread to work on a key.")
                continuation.resume(returning: .failure(error))
            }
        }
        await turns.give()
        return try outcome.get()
    }
}

/// Turns that are given to so many at a time, in the order in which they were asked for.
private actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func give() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
