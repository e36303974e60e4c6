//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitServer
import HTTPTypes

extension AccountError: HTTPFailureConvertible {
    /// The response to the request that failed.
    public var httpFailure: HTTPFailure {
        let (status, error) = statusAndWord
        var failure = HTTPFailure(status, error, message)
        if let retrySeconds { failure.headers[.retryAfter] = String(retrySeconds) }
        if let url { failure.details["url"] = .string(url) }
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
        case .secondFactorRequired: (.unauthorized, "second_factor_required")
        case .secondFactorExists: (.conflict, "second_factor_exists")
        case .mailNotConfigured: (.notImplemented, "mail_not_configured")
        case .invalidAddress: (.badRequest, "invalid_address")
        case .addressTaken: (.conflict, "address_taken")
        case .providerNotFound: (.notFound, "provider_not_found")
        case .loginRefused: (.unauthorized, "login_refused")
        case .providerUnavailable: (.serviceUnavailable, "provider_unavailable")
        case .providerMisconfigured: (.internalServerError, "provider_misconfigured")
        case .redirectRefused: (.badRequest, "redirect_refused")
        case .identityTaken: (.conflict, "identity_taken")
        case .tooManyRequests: (.tooManyRequests, "too_many_requests")
        case .accountBlocked: (.forbidden, "account_blocked")
        case .invalidDevice: (.badRequest, "invalid_device")
        case .deviceBlocked: (.forbidden, "device_blocked")
        case .deviceLost: (.forbidden, "device_lost")
        case .versionRefused: (.forbidden, "version_refused")
        case .passkeysUnavailable: (.badRequest, "passkeys_unavailable")
        }
    }
}
