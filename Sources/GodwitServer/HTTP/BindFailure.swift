//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension GodwitServer {
    /// Why an address could not be bound.
    package enum BindFailure: Sendable {
        /// Another program listens on the port.
        case portInUse
        /// Anything else, in the system's words.
        case other(String)
    }

    /// Reads what ``run()`` threw; `nil` when it has nothing to do with the address.
    package static func bindFailure(_ error: any Error) -> BindFailure? {
        guard let error = error as? IOError else { return nil }
        return error.errnoCode == EADDRINUSE ? .portInUse : .other(String(cString: strerror(error.errnoCode)))
    }
}
