//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import NIOCore

extension GodwitServer {
    /// The reason why an address could not be bound.
    package enum BindFailure: Sendable {
        /// Another program listens on the port.
        case portInUse
        /// Any other reason. The value is the system's error message.
        case other(String)
    }

    /// Returns the reason for an error that ``run()`` threw; `nil` when the error is not an `IOError` of the system.
    /// Every `IOError` is treated as a failure to bind the address.
    package static func bindFailure(_ error: any Error) -> BindFailure? {
        guard let error = error as? IOError else { return nil }
        return error.errnoCode == EADDRINUSE ? .portInUse : .other(String(cString: strerror(error.errnoCode)))
    }
}
