//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitHost

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RemoteURL {
    /// Who we are there: what stood in the URL, else `GODWIT_USER` and `GODWIT_PASSWORD`.
    func login(_ settings: Settings) -> Credentials {
        guard case .none = credentials else { return credentials }
        return settings.login
    }
}

extension Settings {
    /// `GODWIT_USER` and `GODWIT_PASSWORD`.
    var login: Credentials {
        string("user").map { .basic(user: $0, password: secret("password") ?? "") } ?? .none
    }
}

extension Credentials {
    /// The header of basic authentication, which is all that a command line gives; `nil` for nobody.
    var authorization: String? {
        guard case .basic(let user, let password) = self else { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
