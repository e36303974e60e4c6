//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitStore
import GodwitSync
import GodwitThreads

/// Slows down who guesses passwords, and locks an account for an address after too many failures.
///
/// Failures are counted for an account and an address, and for an address alone, so that trying one password on many names
/// is slow too. A full table forgets only what is over: further names are counted in a fixed number of buckets, each for
/// many names, so that invented names never clear the failures of another one.
final class LoginGuard: Sendable {
    /// Failures after which an account is locked for an address, and how long they count, in seconds.
    static let failuresMax = 5
    static let secondsMax = 300.0
    /// Failures of an address after which each further attempt of it waits, and how long, in milliseconds.
    static let failuresOfAddressMax = 50
    static let addressDelayMilliseconds = 1_000
    /// Pairs of account and address, and addresses, that are watched one by one; further ones share buckets.
    static let watchedMax = 10_000
    static let bucketsMax = 1_024
    /// What a failure adds to the time of the next answer, in milliseconds.
    static let delayMilliseconds = 100

    private enum Key: Hashable {
        case account(name: String, network: String)
        case network(String)
        /// Of those for which the table had no room.
        case bucket(Int)
    }

    private struct Failures {
        var count = 0
        let since: Moment

        var isOver: Bool { since.secondsAgo > LoginGuard.secondsMax }
    }

    private let watched = Mutex<[Key: Failures]>([:])
    private let turns = Turns<Key>()

    /// The network that an address belongs to: of IPv6 a client has 2^64 addresses.
    private static func network(_ address: String) -> String { HostAddress.network(of: address) }

    /// Tries to log in: one attempt at a time for an account and address, so that many at once are no way around the lock.
    func inTurn<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result
    ) async throws -> Result {
        let network = LoginGuard.network(address)
        let isSlowed = watched.withLock { watched in
            LoginGuard.count(of: .network(network), in: &watched) >= LoginGuard.failuresOfAddressMax
        }
        if isSlowed {
            try await turns.take(.network(network)) {
                try await Task.sleep(for: .milliseconds(LoginGuard.addressDelayMilliseconds))
            }
        }
        return try await turns.take(.account(name: name, network: network), attempt)
    }

    /// Whether this address may try this account now.
    func admits(_ name: String, from address: @autoclosure () -> String) -> Bool {
        // Mostly nobody has failed, and the address need not be made.
        guard watched.withLock({ !$0.isEmpty }) else { return true }
        let key = Key.account(name: name, network: LoginGuard.network(address()))
        return watched.withLock { LoginGuard.count(of: key, in: &$0) < LoginGuard.failuresMax }
    }

    /// Notes a failure.
    ///
    /// - Returns: How long to wait with the answer.
    func failed(_ name: String, from address: String) -> Duration {
        let network = LoginGuard.network(address)
        let count = watched.withLock { watched in
            LoginGuard.note(.network(network), in: &watched)
            LoginGuard.note(.account(name: name, network: network), in: &watched)
            return LoginGuard.count(of: .account(name: name, network: network), in: &watched)
        }
        return .milliseconds(LoginGuard.delayMilliseconds * min(count, LoginGuard.failuresMax))
    }

    /// Forgets the failures of an account that logged in.
    func succeeded(_ name: String, from address: String) {
        let key = Key.account(name: name, network: LoginGuard.network(address))
        watched.withLock { $0[key] = nil }
    }

    // MARK: The table

    private static func count(of key: Key, in watched: inout [Key: Failures]) -> Int {
        let key = watched[key] == nil && watched.count >= watchedMax ? bucket(of: key) : key
        guard let failures = watched[key] else { return 0 }
        guard !failures.isOver else {
            watched[key] = nil
            return 0
        }
        return failures.count
    }

    private static func note(_ key: Key, in watched: inout [Key: Failures]) {
        if watched[key] == nil, watched.count >= watchedMax { watched = watched.filter { !$0.value.isOver } }
        let key = watched[key] == nil && watched.count >= watchedMax ? bucket(of: key) : key
        if watched[key]?.isOver == true { watched[key] = nil }
        watched[key, default: Failures(since: .now)].count += 1
    }

    private static func bucket(of key: Key) -> Key {
        // The hash is seeded for each process: nobody can choose names that share a bucket with another one.
        .bucket(Int(UInt(bitPattern: key.hashValue) % UInt(bucketsMax)))
    }
}
