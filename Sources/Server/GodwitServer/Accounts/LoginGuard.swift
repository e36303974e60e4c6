//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes

/// Slows down attempts to guess passwords. After too many failures from a network, locks the account for this network.
///
/// Each failure is counted twice (``FailureTable``): for the pair of account and network, and for the network alone.
/// The count for the network slows down an attacker who tries one password with many names. Each IPv4 address is
/// treated as a separate network.
final class LoginGuard: Sendable {
    /// The number of failures after which an account is locked for a network, until the failures expire
    /// (``FailureTable/secondsMax``).
    static let failuresMax = 5
    /// The number of failures for an account and a network after which even clients with proved credentials are
    /// refused. Proved credentials are a name and a password that were right in an earlier request from the same
    /// network.
    ///
    /// Below this limit, a client with proved credentials is not locked out by the failures of other clients in its
    /// network. Without the limit, an attacker in the same network could continue to guess until a guess equals the
    /// proved credentials.
    static let failuresOfProvedMax = 100
    /// The number of failures of a network after which the network is slowed: each further attempt waits.
    static let failuresOfAddressMax = 50
    /// The time that each attempt waits after ``failuresOfAddressMax`` failures, in milliseconds.
    static let addressDelayMilliseconds = 1_000
    /// The maximum number of waiting attempts of a slowed network. Further attempts are refused.
    static let waitingOfAddressMax = 16
    /// The delay of the response to a failed attempt, in milliseconds. It is multiplied by the number of failures so
    /// far, but at most by ``failuresMax``.
    static let delayMilliseconds = 100

    private typealias Key = FailureTable.Key

    private let failures = Mutex(FailureTable())
    private let lock = KeyedAsyncLock<Key>()
    /// The number of waiting attempts per slowed network.
    private let waitingCounts = Mutex<[String: Int]>([:])

    /// Returns the network of an address. Failures are counted for networks and not for addresses, because an IPv6
    /// client can use all 2^64 addresses of its network.
    private static func network(_ address: String) -> String { HostAddress.network(of: address) }

    /// Runs one login attempt at a time per account and network, so that parallel attempts cannot avoid the lock.
    ///
    /// - Throws: ``HTTPFailure`` with status 503 when a network with many failures has too many waiting attempts;
    ///   errors of `attempt`.
    func serialized<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result
    ) async throws -> Result {
        let network = LoginGuard.network(address)
        let isSlowed = failures.withLock { $0.count(of: .network(network)) >= LoginGuard.failuresOfAddressMax }
        if isSlowed { try await waitForAttempt(of: network) }
        return try await lock.withLock(.account(name: ExactText(name), network: network), attempt)
    }

    /// Waits until a slowed network may try again. It may try once per second.
    private func waitForAttempt(of network: String) async throws {
        let isFull = waitingCounts.withLock { waitingCounts in
            let waitingCount = waitingCounts[network, default: 0]
            guard waitingCount < LoginGuard.waitingOfAddressMax else { return true }
            waitingCounts[network] = waitingCount + 1
            return false
        }
        guard !isFull else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable",
                "Too many logins failed from this address. Try again in a minute.")
        }
        defer { waitingCounts.withLock { $0[network] = $0[network].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        try await lock.withLock(.network(network)) {
            try await Task.sleep(for: .milliseconds(LoginGuard.addressDelayMilliseconds))
        }
    }

    /// Whether clients in the network of an address may try to log in to an account. They may not if the account is
    /// locked for this network.
    ///
    /// - Parameter proved: The address of the client that proved the same credentials before; `nil` when no client has
    ///   proved them.
    func allows(_ name: String, from address: @autoclosure () -> String, proved: String? = nil) -> Bool {
        // Usually the table contains no failures. The network is then not needed, and the address is not computed.
        guard failures.withLock({ !$0.isEmpty }) else { return true }
        let network = LoginGuard.network(address())
        let isProvingNetwork = proved.map { LoginGuard.network($0).isIdenticalText(to: network) } ?? false
        let countMax = isProvingNetwork ? LoginGuard.failuresOfProvedMax : LoginGuard.failuresMax
        return failures.withLock { $0.count(of: .account(name: ExactText(name), network: network)) < countMax }
    }

    /// Counts an attempt that was refused because the account is locked.
    func refused(_ name: String, from address: String) {
        let key = Key.account(name: ExactText(name), network: LoginGuard.network(address))
        failures.withLock { $0.note(key) }
    }

    /// Counts a failure.
    ///
    /// - Returns: The time to wait before the response.
    func failed(_ name: String, from address: String) -> Duration {
        let network = LoginGuard.network(address)
        let count = failures.withLock { failures in
            failures.note(.network(network))
            failures.note(.account(name: ExactText(name), network: network))
            return failures.count(of: .account(name: ExactText(name), network: network))
        }
        return .milliseconds(LoginGuard.delayMilliseconds * min(count, LoginGuard.failuresMax))
    }

    /// Removes the failures of an account that logged in from this network.
    func succeeded(_ name: String, from address: String) {
        let key = Key.account(name: ExactText(name), network: LoginGuard.network(address))
        failures.withLock { $0.remove(key) }
    }
}
