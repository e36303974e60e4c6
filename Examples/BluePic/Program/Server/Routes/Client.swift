//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitServer
import HTTPTypes

/// The user or the administrator who makes a request.
enum Client: Equatable, Sendable {
    case user(String)
    case administrator
    case guest

    init(_ context: RequestContext) {
        if context.principal.isAdministrator {
            self = .administrator
        } else if let member = context.principal.membership, member.application == BluePicModule.application {
            self = .user(member.user)
        } else {
            self = .guest
        }
    }

    /// The name of the user; `nil` for an administrator and a guest.
    var user: String? {
        guard case .user(let name) = self else { return nil }
        return name
    }

    /// Whether the client may change the data of a user.
    func mayChange(of owner: String) -> Bool {
        switch self {
        case .administrator: true
        case .user(let name): name.utf8.elementsEqual(owner.utf8)
        case .guest: false
        }
    }

    /// Returns the user for whom the client acts.
    ///
    /// - Parameter owner: The user in the request; `nil` if the request contains no user. In this case, the client is
    ///   the user itself, or an administrator who acts for the user `anonymous`.
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 401 for a guest, or 403 for another user.
    func acting(for owner: String?) throws(HTTPFailure) -> String {
        switch self {
        case .guest: throw Client.unauthorized
        case .administrator: return owner ?? "anonymous"
        case .user(let name):
            guard owner?.utf8.elementsEqual(name.utf8) ?? true else {
                throw HTTPFailure(.forbidden, "forbidden", "You are logged in as another user than the request names.")
            }
            return name
        }
    }

    private static var unauthorized: HTTPFailure {
        var failure = HTTPFailure(.unauthorized, "unauthorized", "Sign in to do this.")
        failure.headers[.wwwAuthenticate] = "Bearer"
        return failure
    }
}

/// The limits for the requests of one user.
struct RequestLimits: Sendable {
    /// Two limits for the requests of one user: the maximum number in a minute, and the maximum number in a day.
    /// Uploads, posts and changes of the profile are counted together.
    private static let perMinuteMax = 120
    private static let perDayMax = 2_000
    private static let daySeconds = 86_400.0

    private let minutes = RateLimit()
    private let days = RateLimit(seconds: RequestLimits.daySeconds)

    /// Counts an upload, a post or a change of a profile.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 429.
    func count(_ user: String) throws(HTTPFailure) {
        guard minutes.count(user, countMax: Self.perMinuteMax) else { throw Self.tooMany("minute", retrySeconds: 60) }
        guard days.count(user, countMax: Self.perDayMax) else { throw Self.tooMany("day", retrySeconds: 3_600) }
    }

    private static func tooMany(_ period: String, retrySeconds: Int) -> HTTPFailure {
        var failure = HTTPFailure(
            .tooManyRequests, "too_many_requests", "There are too many uploads and posts of one user in a \(period).")
        failure.headers[.retryAfter] = "\(retrySeconds)"
        return failure
    }
}
