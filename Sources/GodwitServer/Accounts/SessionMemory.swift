//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitThreads

/// Remembers session cookies that were genuine, with what they were checked against: the next request of a session compares
/// that, and computes no signature.
final class SessionMemory: Sendable {
    private static let sessionsMax = 10_000

    private struct Session {
        let cookie: SessionCookie
        let account: Account
        let key: SymmetricKey
    }

    private let sessions = Mutex<[String: Session]>([:])

    /// The cookie of a text that was genuine before; `nil` for any other text.
    func cookie(_ text: String) -> SessionCookie? { sessions.withLock { $0[text]?.cookie } }

    /// Whether a text was genuine for an account as it is now, under the same key.
    func isGenuine(_ text: String, for account: Account, key: SymmetricKey) -> Bool {
        guard let session = sessions.withLock({ $0[text] }) else { return false }
        return session.account.hasSessions(of: account) && session.key == key
    }

    /// Remembers a cookie that is genuine.
    func remember(_ cookie: SessionCookie, _ text: String, for account: Account, key: SymmetricKey) {
        sessions.withLock { sessions in
            if sessions.count >= SessionMemory.sessionsMax { sessions.removeAll() }
            sessions[text] = Session(cookie: cookie, account: account, key: key)
        }
    }
}
