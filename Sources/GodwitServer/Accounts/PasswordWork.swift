//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads
import HTTPTypes

/// Hashes passwords on a small number of separate threads, so that logins leave processors to other work.
///
/// Clients are served in rotation, one hash each: many waiting attempts of one client delay the others little.
package enum PasswordWork {
    private static let threadsMax = 2
    /// The maximum number of waiting hashes per client. Further ones are refused.
    private static let waitingPerClientMax = 64
    /// The maximum number of waiting hashes in total. Above it, only a client without waiting hashes may add one.
    private static let waitingMax = 1_024

    private struct State {
        var waiting: [String: JobQueue<@Sendable () -> Void>] = [:]
        var counts: [String: Int] = [:]
        var count = 0
        /// The waiting clients, in the order in which they are served.
        var order = JobQueue<String>()

        mutating func enter(_ client: String, _ job: @escaping @Sendable () -> Void) -> Bool {
            let own = counts[client, default: 0]
            guard own < waitingPerClientMax, count < waitingMax || own == 0 else { return false }
            if waiting[client] == nil { order.append(client) }
            waiting[client, default: JobQueue()].append(job)
            counts[client] = own + 1
            count += 1
            return true
        }

        mutating func next() -> (@Sendable () -> Void)? {
            guard let client = order.popFirst(), let job = waiting[client]?.popFirst() else { return nil }
            if waiting[client]?.isEmpty == true { waiting[client] = nil } else { order.append(client) }
            counts[client] = counts[client].flatMap { $0 > 1 ? $0 - 1 : nil }
            count -= 1
            return job
        }
    }

    private static let pool = BlockingPool(threadsMax: threadsMax)
    private static let state = Mutex(State())

    /// Runs slow work with passwords on the threads for it.
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
                state.enter(client) {
                    let result = work()
                    outcome.withLock { $0 = result }
                    continuation.resume()
                }
            }
            guard isQueued else { return continuation.resume() }
            pool.submit { state.withLock { $0.next() }?() }
        }
        guard let result = outcome.withLock({ $0.take() }) else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable", "Too many logins at the same time. Try again later.")
        }
        return result
    }
}
