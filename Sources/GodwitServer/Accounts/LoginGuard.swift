//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// Locks out who fails to log in again and again, by account and address, as CouchDB does.
///
/// Each failure is answered later than the one before; after `failuresMax` the account answers this address no more until
/// `secondsMax` have passed since the first.
final class LoginGuard: Sendable {
    static let failuresMax = 5
    static let secondsMax = 300.0
    /// Pairs of account and address that are watched.
    static let watchedMax = 10_000
    /// What a failure adds to the time of the next answer, in milliseconds.
    static let delayMilliseconds = 100

    private struct Key: Hashable {
        let name: String
        let address: String
    }

    private struct Failures {
        var count = 0
        let since: Moment
    }

    private let watched = Mutex<[Key: Failures]>([:])
    private let turns = Turns<Key>()

    /// Tries to log in: one attempt at a time for an account and address, so that many at once are no way around the lock.
    func inTurn<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result
    ) async rethrows -> Result {
        try await turns.take(Key(name: name, address: address), attempt)
    }

    /// Whether this address may try this account now.
    func admits(_ name: String, from address: @autoclosure () -> String) -> Bool {
        // Mostly nobody has failed, and the address need not be made.
        guard watched.withLock({ !$0.isEmpty }) else { return true }
        let key = Key(name: name, address: address())
        return watched.withLock { watched in
            guard let failures = watched[key] else { return true }
            if failures.since.secondsAgo > LoginGuard.secondsMax { watched[key] = nil }
            return (watched[key]?.count ?? 0) < LoginGuard.failuresMax
        }
    }

    /// Takes note of a failure.
    ///
    /// - Returns: How long to wait with the answer.
    func failed(_ name: String, from address: String) -> Duration {
        let key = Key(name: name, address: address)
        let count = watched.withLock { watched in
            if watched.count >= LoginGuard.watchedMax, watched[key] == nil {
                watched = watched.filter { $0.value.since.secondsAgo <= LoginGuard.secondsMax }
                if watched.count >= LoginGuard.watchedMax { watched.removeAll() }
            }
            watched[key, default: Failures(since: .now)].count += 1
            return watched[key]?.count ?? 0
        }
        return .milliseconds(LoginGuard.delayMilliseconds * count)
    }

    /// Forgets the failures of an account that logged in.
    func succeeded(_ name: String, from address: String) {
        watched.withLock { $0[Key(name: name, address: address)] = nil }
    }
}
