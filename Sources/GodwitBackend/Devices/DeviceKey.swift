//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// The name of the key of one device. It contains the user and the device, so that the server finds the account without
/// a search.
///
/// A login with a password returns the account's key, whose password is sealed with the user's password. A login without
/// a password cannot open the seal: its device gets a separate key, of which only the password's hash is stored.
struct DeviceKey: Equatable {
    /// The principal's name of the user, `APPLICATION/USER`.
    let principalName: String
    let device: String

    private static let prefix = "apikey-"

    init(principalName: String, device: String) {
        (self.principalName, self.device) = (principalName, device)
    }

    /// Parses the name of a key; `nil` when it is not that of a device's key.
    init?(_ name: String) {
        guard name.hasPrefix(DeviceKey.prefix) else { return nil }
        let parts = name.dropFirst(DeviceKey.prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let user = Base64URL.decode(parts[0]).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        self.init(principalName: user, device: String(parts[1]))
    }

    var name: String { "\(DeviceKey.prefix)\(Base64URL.encode(Array(principalName.utf8))).\(device)" }
}
