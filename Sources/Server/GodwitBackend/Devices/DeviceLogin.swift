//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The name of an account with which one device of a user authenticates: by a separate key, or by a session cookie.
///
/// The name contains the user and the device, so that the account is found without a search.
struct DeviceLogin: Equatable {
    enum Kind: String, CaseIterable {
        /// A separate key of the device. Such a key is created for a login without the user's password, because without
        /// this password, the server cannot decrypt the password of the user's key. The server stores only a hash of
        /// the password of the device's key.
        case key = "apikey-"
        /// A session cookie, which ends with the session of the device. No password matches this account.
        case cookie = "session-"
    }

    let kind: Kind
    /// The name of the user's principal, `APPLICATION/USER`.
    let principalName: String
    let device: String

    init(_ kind: Kind, principalName: String, device: String) {
        (self.kind, self.principalName, self.device) = (kind, principalName, device)
    }

    /// Parses the name of an account; `nil` when the name is not that of a device's account.
    init?(_ name: String) {
        guard let kind = Kind.allCases.first(where: { name.begins(with: $0.rawValue) }) else { return nil }
        let parts = Substring(name.utf8.dropFirst(kind.rawValue.utf8.count)).pieces(
            at: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let user = Base64URL.decode(parts[0]).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        self.init(kind, principalName: user, device: String(parts[1]))
    }

    var name: String { "\(kind.rawValue)\(Base64URL.encode(Array(principalName.utf8))).\(device)" }
}
