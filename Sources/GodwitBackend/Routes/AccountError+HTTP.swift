//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitServer
import HTTPTypes

extension AccountError: HTTPFailureConvertible {
    /// The response to the request that failed.
    public var httpFailure: HTTPFailure {
        let (status, error) = statusAndWord
        var failure = HTTPFailure(status, error, message)
        if let retrySeconds { failure.headers[.retryAfter] = String(retrySeconds) }
        return failure
    }

    private var statusAndWord: (HTTPResponse.Status, String) {
        switch code {
        case .notStarted: (.serviceUnavailable, "service_unavailable")
        case .invalidApplication: (.badRequest, "invalid_application")
        case .applicationNotFound, .userNotFound, .deviceNotFound: (.notFound, "not_found")
        case .notAllowed: (.forbidden, "forbidden")
        case .invalidName: (.badRequest, "invalid_name")
        case .invalidPassword: (.badRequest, "invalid_password")
        case .userExists, .changedMeanwhile: (.conflict, "conflict")
        case .databaseExists: (.conflict, "database_exists")
        case .tooManyRegistrations: (.tooManyRequests, "too_many_requests")
        case .notLoggedIn: (.unauthorized, "unauthorized")
        case .accountBlocked: (.forbidden, "account_blocked")
        case .versionRefused: (.forbidden, "version_refused")
        }
    }
}
