//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport

/// Limits the number of requests of one kind that each client may make in a period.
public final class RateLimit: Sendable {
    private struct Period {
        var count = 0
        let since: Moment
    }

    private let seconds: Double
    private let periods = Mutex<[ExactText: Period]>([:])

    /// Creates a limit.
    ///
    /// - Parameter seconds: The length of a period, by default a minute.
    public init(seconds: Double = BackendLimits.rateSeconds) { self.seconds = seconds }

    /// Whether a client has made fewer requests than the limit in the current period.
    func isBelow(_ client: String, countMax: Int) -> Bool {
        periods.withLock { periods in
            periods[ExactText(client)].map { $0.since.secondsAgo >= seconds || $0.count < countMax } ?? true
        }
    }

    /// Counts a request to an application. All clients of a network are treated as one client.
    ///
    /// - Returns: As ``count(_:countMax:)``.
    func count(in application: String, from address: String, countMax: Int) -> Bool {
        count("\(application)\u{0}\(HostAddress.network(of: address))", countMax: countMax)
    }

    /// Counts a request.
    ///
    /// If the table is full of clients that made requests in this period, requests of further clients are refused. No
    /// client is removed from the table during its period, because its count would then begin again.
    ///
    /// - Parameters:
    ///   - client: The name of the client, or any other text for which requests are counted.
    ///   - countMax: The maximum number of requests of a client in a period.
    /// - Returns: Whether the request is within the limit. `false` when the client has made `countMax` requests, or the
    ///   table is full.
    public func count(_ client: String, countMax: Int) -> Bool {
        let (key, seconds) = (ExactText(client), seconds)
        return periods.withLock { periods in
            if let known = periods[key], known.since.secondsAgo >= seconds { periods[key] = nil }
            if periods[key] == nil, periods.count >= BackendLimits.rateClientsMax {
                periods = periods.filter { $0.value.since.secondsAgo < seconds }
                guard periods.count < BackendLimits.rateClientsMax else { return false }
            }
            let known = periods[key] ?? Period(since: .now)
            guard known.count < countMax else { return false }
            periods[key] = known
            periods[key]?.count += 1
            invariant(periods.count <= BackendLimits.rateClientsMax, "the table of clients keeps its limit")
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

    /// Counts a request for a page of a login in the browser.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/tooManyRequests``.
    func countLoginPage(in application: Application, from address: String) throws(AccountError) {
        let countMax = BackendLimits.providerLoginsPerMinute * 2
        guard !loginPages.count(in: application.id, from: address, countMax: countMax) else { return }
        throw AccountError(
            .tooManyRequests, "Too many logins were begun from one address. Try again in a minute.",
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
