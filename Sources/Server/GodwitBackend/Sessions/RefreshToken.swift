//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A token with which a device gets a new access token: user, device and secret in one text.
struct RefreshToken: Equatable, Sendable {
    let user: String
    let device: String
    let secret: String

    init(user: String, device: String, secret: String) {
        (self.user, self.device, self.secret) = (user, device, secret)
    }

    /// Parses a token without verifying it; `nil` when it is malformed.
    init?(_ text: String) {
        let parts = text.pieces(at: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count <= BackendLimits.userNameBytesMax * 2,
            parts[1].utf8.count <= BackendLimits.deviceIDBytesMax,
            let name = Base64URL.decode(parts[0]).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        self.init(user: name, device: String(parts[1]), secret: String(parts[2]))
    }

    var text: String {
        invariant(
            !device.utf8.contains(UInt8(ascii: ".")) && !secret.utf8.contains(UInt8(ascii: ".")),
            "the parts of a token are found again")
        return "\(Base64URL.encode(Array(user.utf8))).\(device).\(secret)"
    }
}
