//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import HTTPTypes

/// Hashes passwords on a small number of separate threads, so that logins cannot use all processors.
///
/// The waiting clients take turns: in each turn, one hash of a client is computed. Therefore, a large number of
/// attempts by one client delays the other clients only a little.
package enum PasswordWork {
    private static let threadsMax = 2
    /// The maximum number of waiting hashes per client. Further hashes are refused.
    private static let waitingPerClientMax = 64
    /// The maximum number of waiting hashes in total. When it is reached, a client that already has a waiting hash
    /// cannot add another one.
    private static let waitingMax = 1_024

    private struct State {
        var queues: [ExactText: JobQueue<@Sendable () -> Void>] = [:]
        var countPerClient: [ExactText: Int] = [:]
        var totalCount = 0
        /// The waiting clients, in the order in which they are served.
        var clientOrder = JobQueue<ExactText>()

        mutating func enqueue(_ client: String, _ job: @escaping @Sendable () -> Void) -> Bool {
            let client = ExactText(client)
            let clientCount = countPerClient[client, default: 0]
            guard clientCount < waitingPerClientMax, totalCount < waitingMax || clientCount == 0 else { return false }
            if queues[client] == nil { clientOrder.append(client) }
            queues[client, default: JobQueue()].append(job)
            countPerClient[client] = clientCount + 1
            totalCount += 1
            return true
        }

        mutating func dequeue() -> (@Sendable () -> Void)? {
            guard let client = clientOrder.popFirst(), let job = queues[client]?.popFirst() else { return nil }
            if queues[client]?.isEmpty == true { queues[client] = nil } else { clientOrder.append(client) }
            countPerClient[client] = countPerClient[client].flatMap { $0 > 1 ? $0 - 1 : nil }
            invariant((queues[client] == nil) == (countPerClient[client] == nil), "work that waits is counted")
            totalCount -= 1
            invariant(totalCount >= 0, "work that begins was waiting")
            return job
        }
    }

    private static let pool = BlockingPool(threadsMax: threadsMax)
    private static let state = Mutex(State())

    /// Runs slow work with passwords on the separate threads of this type. If the calling task is cancelled, the work
    /// continues.
    ///
    /// - Parameter client: The client for which the work is queued: a network (``HostAddress/network(of:)``), or a
    ///   name.
    /// - Throws: ``HTTPFailure`` with status 503 when too much work waits.
    package static func run<Result: Sendable>(
        for client: String, _ work: @escaping @Sendable () -> Result
    ) async throws -> Result {
        let outcome = Mutex<Result?>(nil)
        await withCheckedContinuation { continuation in
            let isQueued = state.withLock { state in
                state.enqueue(client) {
                    let result = work()
                    outcome.withLock { $0 = result }
                    continuation.resume()
                }
            }
            guard isQueued else { return continuation.resume() }
            pool.submit { state.withLock { $0.dequeue() }?() }
        }
        guard let result = outcome.withLock({ $0.take() }) else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable", "Too many logins at the same time. Try again later.")
        }
        return result
    }
}
