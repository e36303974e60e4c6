//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitAccess
public import GodwitJSON

extension AccessNotice {
    /// The event as JSON for the page: its `kind`, and a `message` for the user.
    public var screen: JSONValue {
        let (kind, text) =
            switch self {
            case .versionWarning(let message, _): ("versionWarning", message)
            case .versionRefused(let message, _): ("versionRefused", message)
            case .loggedOut: ("loggedOut", "The session has ended. Sign in again.")
            case .blocked(let message): ("blocked", message)
            case .wiped: ("wiped", "The device was reported lost. Its data was removed.")
            case .wipeFailed(let message): ("wipeFailed", message)
            }
        return ["kind": .string(kind), "message": .string(text)]
    }
}
