//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitStore
import GodwitThreads
import HTTPTypes

/// Where passwords are hashed: on few threads of their own, so that logins leave processors to other work.
///
/// Clients have turns: many attempts of one address delay those of another by one hash each.
package enum PasswordWork {
    private static let threadsMax = 2
    /// Hashes of one client that may wait; further ones are refused.
    private static let waitingPerClientMax = 64
    /// Hashes that may wait in all. Above, only a client that has none waiting may add one.
    private static let waitingMax = 1_024

    private struct State {
        var waiting: [String: JobQueue<@Sendable () -> Void>] = [:]
        var counts: [String: Int] = [:]
        var count = 0
        /// The clients that wait, in the order of their turns.
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

    /// Runs slow work with passwords.
    ///
    /// - Parameter client: For whom: a network (``HostAddress/network(of:)``), or a name.
    /// - Throws: ``HTTPFailure`` with status 503 when too much of it waits.
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
                .serviceUnavailable, "service_unavailable", "Too many logins at once. Try again in a while.")
        }
        return result
    }
}
