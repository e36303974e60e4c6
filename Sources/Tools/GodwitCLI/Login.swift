//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitHost
import GodwitTransport

extension RemoteURL {
    /// Returns the credentials in the URL. If the URL contains none, returns the credentials in `GODWIT_USER` and
    /// `GODWIT_PASSWORD`.
    func login(_ settings: Settings) -> Credentials {
        guard case .none = credentials else { return credentials }
        return settings.login
    }
}

extension Settings {
    /// The credentials in `GODWIT_USER` and `GODWIT_PASSWORD`; `.none` if `GODWIT_USER` is missing.
    var login: Credentials {
        string("user").map { .basic(user: $0, password: secret("password") ?? "") } ?? .none
    }
}

extension Credentials {
    /// The `Authorization` header for basic authentication, the only kind on the command line; `nil` for other
    /// credentials.
    var authorization: String? {
        guard case .basic(let user, let password) = self else { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
