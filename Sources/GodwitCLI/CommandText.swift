//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitServer

/// What the command says of itself and of failures.
enum CommandText {
    static let version = "godwit \(godwitVersion)"

    /// Writes a line to standard error.
    static func complain(_ message: String) {
        let line = message.hasPrefix("Error:") || message.hasPrefix("godwit") ? message : "godwit: \(message)"
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// Writes a line to standard output at once, also when that is a pipe.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
