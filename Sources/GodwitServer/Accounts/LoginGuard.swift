import GodwitClient
//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitStore
import GodwitThreads
import HTTPTypes

/// Slows down who guesses passwords, and locks an account for an address after too many failures.
///
/// Failures are counted for an account and an address, and for an address alone, so that trying one password on many names
/// is slow too (``FailureTable``).
final class LoginGuard: Sendable {
    /// Failures after which an account is locked for an address, as long as they count (``FailureTable/secondsMax``).
    static let failuresMax = 5
    /// Failures of an account from an address after which those are refused too whose password was proved from there before.
    ///
    /// Up to it a neighbour's failures lock nobody out who is known there; above it nobody can go on guessing until a guess
    /// is recognised.
    static let failuresOfProvedMax = 100
    /// Failures of an address after which each further attempt of it waits, and how long, in milliseconds.
    static let failuresOfAddressMax = 50
    static let addressDelayMilliseconds = 1_000
    /// Attempts of such an address that may wait; further ones are refused.
    static let waitingOfAddressMax = 16
    /// What a failure adds to the time of the next answer, in milliseconds.
    static let delayMilliseconds = 100

    private typealias Key = FailureTable.Key

    private let watched = Mutex(FailureTable())
    private let lock = KeyedAsyncLock<Key>()
    /// Attempts of slowed networks that wait.
    private let waiting = Mutex<[String: Int]>([:])

    /// The network that an address belongs to: of IPv6 a client has 2^64 addresses.
    private static func network(_ address: String) -> String { HostAddress.network(of: address) }

    /// Tries to log in: one attempt at a time for an account and address, so that many at once are no way around the lock.
    ///
    /// - Throws: ``HTTPFailure`` with status 503 when too many attempts of an address wait that failed often.
    func inTurn<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result
    ) async throws -> Result {
        let network = LoginGuard.network(address)
        let isSlowed = watched.withLock { $0.count(of: .network(network)) >= LoginGuard.failuresOfAddressMax }
        if isSlowed { try await waitForTurn(of: network) }
        return try await lock.withLock(.account(name: name, network: network), attempt)
    }

    /// Lets one attempt of a slowed network pass a second.
    private func waitForTurn(of network: String) async throws {
        let isFull = waiting.withLock { waiting in
            let count = waiting[network, default: 0]
            guard count < LoginGuard.waitingOfAddressMax else { return true }
            waiting[network] = count + 1
            return false
        }
        guard !isFull else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable",
                "Too many logins failed from this address. Try again in a minute.")
        }
        defer { waiting.withLock { $0[network] = $0[network].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        try await lock.withLock(.network(network)) {
            try await Task.sleep(for: .milliseconds(LoginGuard.addressDelayMilliseconds))
        }
    }

    /// Whether this address may try this account now.
    ///
    /// - Parameter proved: Where the password that is shown was proved before; `nil` when it was not.
    func allows(_ name: String, from address: @autoclosure () -> String, proved: String? = nil) -> Bool {
        // Mostly nobody has failed, and the address need not be made.
        guard watched.withLock({ !$0.isEmpty }) else { return true }
        let network = LoginGuard.network(address())
        let isKnown = proved.map { LoginGuard.network($0) == network } ?? false
        let countMax = isKnown ? LoginGuard.failuresOfProvedMax : LoginGuard.failuresMax
        return watched.withLock { $0.count(of: .account(name: name, network: network)) < countMax }
    }

    /// Notes an attempt that was refused because the account is locked.
    func refused(_ name: String, from address: String) {
        let key = Key.account(name: name, network: LoginGuard.network(address))
        watched.withLock { $0.note(key) }
    }

    /// Notes a failure.
    ///
    /// - Returns: How long to wait with the answer.
    func failed(_ name: String, from address: String) -> Duration {
        let network = LoginGuard.network(address)
        let count = watched.withLock { watched in
            watched.note(.network(network))
            watched.note(.account(name: name, network: network))
            return watched.count(of: .account(name: name, network: network))
        }
        return .milliseconds(LoginGuard.delayMilliseconds * min(count, LoginGuard.failuresMax))
    }

    /// Forgets the failures of an account that logged in.
    func succeeded(_ name: String, from address: String) {
        let key = Key.account(name: name, network: LoginGuard.network(address))
        watched.withLock { $0.remove(key) }
    }
}
