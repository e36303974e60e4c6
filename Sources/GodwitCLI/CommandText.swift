//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer

/// What the command says of itself and of failures.
enum CommandText {
    static let version = "godwit \(godwitVersion)"

    /// Writes a line to standard error.
    static func complain(_ message: String) {
        let line = message.hasPrefix("Error:") || message.hasPrefix("godwit") ? message : "godwit: \(message)"
        StandardStream.error.write(line + "\n")
    }

    /// Writes a line to standard output.
    static func say(_ line: String) { StandardStream.output.write(line + "\n") }
}
