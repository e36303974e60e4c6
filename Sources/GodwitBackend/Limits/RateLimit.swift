//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitStore
import GodwitThreads

/// Limits the requests of one kind to an application per network and minute.
final class RateLimit: Sendable {
    private struct Key: Hashable {
        let application: String
        let network: String
    }

    private struct Period {
        var count = 0
        let since: Moment

        var isOver: Bool { since.secondsAgo >= BackendLimits.rateSeconds }
    }

    private let periods = Mutex<[Key: Period]>([:])

    /// Counts a request.
    ///
    /// When the table is full of networks that made requests in the last minute, requests of further networks are
    /// refused. No network is removed for them.
    ///
    /// - Parameter countMax: The maximum number of requests of a network in a minute.
    /// - Returns: Whether the request is within the limit. `false` when the network has made `countMax` requests, or the
    ///   table is full.
    func count(in application: String, from address: String, countMax: Int) -> Bool {
        let key = Key(application: application, network: HostAddress.network(of: address))
        return periods.withLock { periods in
            if periods[key]?.isOver == true { periods[key] = nil }
            if periods[key] == nil, periods.count >= BackendLimits.rateNetworksMax {
                periods = periods.filter { !$0.value.isOver }
                guard periods.count < BackendLimits.rateNetworksMax else { return false }
            }
            let known = periods[key] ?? Period(since: .now)
            guard known.count < countMax else { return false }
            periods[key] = known
            periods[key]?.count += 1
            return true
        }
    }
}

extension Backend {
    /// Counts a registration.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/tooManyRegistrations``.
    func countRegistration(in application: Application, from address: String) throws(AccountError) {
        let countMax = application.registrationsPerMinute
        guard !registrations.count(in: application.id, from: address, countMax: countMax) else { return }
        throw AccountError(
            .tooManyRegistrations,
            "At most \(countMax) accounts a minute can be created from one address. Try again in a minute.",
            retrySeconds: Int(BackendLimits.rateSeconds))
    }

    /// Counts a login with a provider.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/tooManyRequests``.
    func countProviderLogin(in application: Application, from address: String) throws(AccountError) {
        let countMax = BackendLimits.providerLoginsPerMinute
        guard !providerLogins.count(in: application.id, from: address, countMax: countMax) else { return }
        throw AccountError(
            .tooManyRequests,
            "At most \(countMax) logins with providers a minute can be tried from one address. Try again in a minute.",
            retrySeconds: Int(BackendLimits.rateSeconds))
    }
}
