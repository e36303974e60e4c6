//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer

/// What the command says of itself and of failures.
package enum CommandText {
    package static let version = "godwit \(godwitVersion)"

    /// Writes a line to standard error.
    package static func complain(_ message: String) {
        let line = message.hasPrefix("Error:") || message.hasPrefix("godwit") ? message : "godwit: \(message)"
        StandardStream.error.write(line + "\n")
    }

    /// Writes a line to standard output.
    package static func say(_ line: String) { StandardStream.output.write(line + "\n") }
}
