//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase

/// A cache of verified session cookies. The signature of a cached cookie is not verified again. Instead, the account
/// and the key are compared with the account and the key for which the cookie was verified.
final class SessionCache: Sendable {
    private static let sessionsMax = 10_000

    private struct Session {
        let cookie: SessionCookie
        let account: Account
        let key: SymmetricKey
    }

    private let sessions = Mutex<[ExactText: Session]>([:])

    /// The parsed cookie, if its text was verified before; `nil` for any other text.
    func cookie(_ text: String) -> SessionCookie? { sessions.withLock { $0[ExactText(text)]?.cookie } }

    /// Whether a cookie's text was verified for the account as it is now, and with the same key.
    func isGenuine(_ text: String, for account: Account, key: SymmetricKey) -> Bool {
        guard let session = sessions.withLock({ $0[ExactText(text)] }) else { return false }
        return session.account.hasSessions(of: account) && session.key == key
    }

    /// Caches a verified cookie.
    func remember(_ cookie: SessionCookie, _ text: String, for account: Account, key: SymmetricKey) {
        sessions.withLock { sessions in
            if sessions.count >= SessionCache.sessionsMax { sessions.removeAll() }
            sessions[ExactText(text)] = Session(cookie: cookie, account: account, key: key)
            invariant(sessions.count <= SessionCache.sessionsMax, "the cache of sessions keeps its limit")
        }
    }
}
