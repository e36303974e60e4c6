//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The client for a realm that the server's program implements. This client refuses every login, because a realm sends
/// its own challenges and accepts neither tokens nor codes.
struct CustomProvider: IdentityProvider {
    func authorizationURL(for request: AuthorizationRequest) async throws(IdentityError) -> String {
        throw .refused("This provider has no page for logins. The app answers its challenges.")
    }

    func identity(of proof: LoginProof) async throws(IdentityError) -> Identity {
        throw .refused("This provider accepts no tokens and no codes. Answer its challenges.")
    }
}
