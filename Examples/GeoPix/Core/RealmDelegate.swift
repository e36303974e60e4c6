//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase
import Synchronization

/// Passes the questions of a realm to the screen, and the answers back.
final class RealmDelegate: AuthenticationDelegate {
    private let show: @Sendable (JSONObject) -> Void
    private let context = Mutex<AuthenticationContext?>(nil)

    init(show: @escaping @Sendable (JSONObject) -> Void) { self.show = show }

    func onAuthenticationChallengeReceived(_ challenge: JSONObject, _ newContext: AuthenticationContext) {
        context.withLock { $0 = newContext }
        show(challenge)
    }

    func answer(_ values: JSONObject) { context.withLock { $0 }?.submitAnswer(values) }

    func cancel() { context.withLock { $0 }?.submitFailure() }
}
