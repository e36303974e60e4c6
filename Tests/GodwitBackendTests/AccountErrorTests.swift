//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import HTTPTypes
import Testing

@testable import GodwitBackend

@Suite("Errors of accounts")
struct AccountErrorTests {
    @Test("Each error has its documented response", arguments: AccountError.Code.allCases)
    func answers(code: AccountError.Code) {
        let failure = HTTPFailure(AccountError(code, "why", retrySeconds: 7, url: "https://example.org"))
        let (status, word) =
            switch code {
            case .invalidApplication: (400, "invalid_application")
            case .invalidName: (400, "invalid_name")
            case .invalidPassword: (400, "invalid_password")
            case .notLoggedIn: (401, "unauthorized")
            case .notAllowed: (403, "forbidden")
            case .accountBlocked: (403, "account_blocked")
            case .versionRefused: (403, "version_refused")
            case .applicationNotFound, .userNotFound, .deviceNotFound: (404, "not_found")
            case .userExists, .changedMeanwhile: (409, "conflict")
            case .databaseExists: (409, "database_exists")
            case .tooManyRegistrations: (429, "too_many_requests")
            case .invalidDevice: (400, "invalid_device")
            case .passkeysUnavailable: (400, "passkeys_unavailable")
            case .redirectRefused: (400, "redirect_refused")
            case .loginRefused: (401, "login_refused")
            case .deviceBlocked: (403, "device_blocked")
            case .deviceLost: (403, "device_lost")
            case .providerNotFound: (404, "provider_not_found")
            case .invalidAddress: (400, "invalid_address")
            case .secondFactorRequired: (401, "second_factor_required")
            case .secondFactorExists: (409, "second_factor_exists")
            case .addressTaken: (409, "address_taken")
            case .mailNotConfigured: (501, "mail_not_configured")
            case .identityTaken: (409, "identity_taken")
            case .tooManyRequests: (429, "too_many_requests")
            case .providerMisconfigured: (500, "provider_misconfigured")
            case .providerUnavailable: (503, "provider_unavailable")
            case .notStarted: (503, "service_unavailable")
            }
        #expect(failure.status.code == status && failure.error == word && failure.reason == "why")
        #expect(failure.headers[.retryAfter] == "7")
        let body = String(decoding: failure.body, as: UTF8.self)
        #expect(body.hasSuffix(#","reason":"why","url":"https://example.org"}"# + "\n"))
    }
}
