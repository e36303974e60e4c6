//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitStore
import GodwitThreads

/// Limits the registrations of an application per network and minute.
final class RegistrationLimit: Sendable {
    private struct Key: Hashable {
        let application: String
        let network: String
    }

    private struct Period {
        var count = 0
        let since: Moment

        var isOver: Bool { since.secondsAgo >= BackendLimits.registrationSeconds }
    }

    private let periods = Mutex<[Key: Period]>([:])

    /// Counts a registration.
    ///
    /// When the table is full of networks that registered in the last minute, registrations of further networks are
    /// refused. No network is removed for them.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/tooManyRegistrations`` when the network has the maximum
    ///   number of registrations, or the table is full.
    func count(in application: Application, from address: String) throws(AccountError) {
        let key = Key(application: application.id, network: HostAddress.network(of: address))
        let countMax = application.registrationsPerMinute
        let isCounted = periods.withLock { periods in
            if periods[key]?.isOver == true { periods[key] = nil }
            if periods[key] == nil, periods.count >= BackendLimits.registrationNetworksMax {
                periods = periods.filter { !$0.value.isOver }
                guard periods.count < BackendLimits.registrationNetworksMax else { return false }
            }
            let known = periods[key] ?? Period(since: .now)
            guard known.count < countMax else { return false }
            periods[key] = known
            periods[key]?.count += 1
            return true
        }
        guard isCounted else { throw .tooManyRegistrations(countMax) }
    }
}

extension AccountError {
    fileprivate static func tooManyRegistrations(_ countMax: Int) -> AccountError {
        AccountError(
            .tooManyRegistrations,
            "At most \(countMax) accounts a minute can be created from one address. Try again in a minute.",
            retrySeconds: Int(BackendLimits.registrationSeconds))
    }
}
