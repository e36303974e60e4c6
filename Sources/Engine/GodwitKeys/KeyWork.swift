//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Runs work with keys on separate threads. The work uses a processor for a third of a second, or waits for the disk.
/// On the threads of Swift's tasks, it would block other tasks. At most ``KeyLimits/derivationsMax`` operations run at
/// a time, because deriving a key uses 128 MB.
enum KeyWork {
    private static let semaphore = AsyncSemaphore(KeyLimits.derivationsMax)

    /// Waits for the semaphore, runs `body` on a new thread, and returns its result.
    ///
    /// - Throws: The error of `body`; ``KeyError`` with code ``KeyError/Code/unavailable`` if the thread cannot be
    ///   started.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(KeyError) -> Result
    ) async throws(KeyError) -> Result {
        await semaphore.take()
        let outcome = await withCheckedContinuation { continuation in
            let isStarted = BlockingThread.start { continuation.resume(returning: Swift.Result(catching: body)) }
            if !isStarted {
                let error = KeyError(.unavailable, "The system cannot start a thread for the work on a key.")
                continuation.resume(returning: .failure(error))
            }
        }
        await semaphore.give()
        return try outcome.get()
    }
}

/// A semaphore for tasks. Waiting tasks continue in the order of their calls of ``take()``.
private actor AsyncSemaphore {
    private var freeCount: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { freeCount = count }

    func take() async {
        if freeCount > 0 {
            freeCount -= 1
        } else {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    func give() {
        if waiters.isEmpty {
            freeCount += 1
        } else {
            waiters.removeFirst().resume()
        }
    }
}
