//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer

/// Lines that a command writes: results to standard output, failures to standard error.
public enum CommandText {
    package static let version = "godwit \(godwitVersion)"

    /// What the program is called, for messages.
    static let programName = CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? "godwit"

    /// A number of things: `1 document`, `2 documents`.
    package static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    /// The verb for a number of things: `has` for one, `have` for others.
    package static func verb(_ number: Int, _ one: String, _ many: String) -> String { number == 1 ? one : many }

    /// Writes a line to standard error, with the program's name before it.
    public static func complain(_ message: String) {
        let line = message.hasPrefix(programName) ? message : "\(programName): \(message)"
        StandardStream.error.write(line + "\n")
    }

    /// Writes a line to standard output.
    public static func say(_ line: String) { StandardStream.output.write(line + "\n") }
}
