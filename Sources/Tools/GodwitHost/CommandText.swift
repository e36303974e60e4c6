//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer

/// Writes the lines of a command: results to standard output, failures to standard error.
public enum CommandText {
    /// The name and the version of Godwit, on one line.
    package static let version = "godwit \(godwitVersion)"

    /// The name of the program, for messages.
    static let programName = CommandLine.arguments[0].pieces(at: "/").last.map(String.init) ?? "godwit"

    /// Returns a number with a noun: `1 document`, `2 documents`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns the verb for a number: `has` for 1, `have` for others.
    package static func verb(_ number: Int, _ singular: String, _ plural: String) -> String {
        number == 1 ? singular : plural
    }

    private static let messageScalarsMax = 4_000

    /// Writes a message to standard error. If the message does not start with the program's name, the name is written
    /// before the message. A message may contain text of a server or of a file. Therefore its control characters, which
    /// could change the terminal, are escaped. Its line breaks are kept. Of a longer message, only the first
    /// ``messageScalarsMax`` characters are written: it may contain a name from a file, of any length.
    public static func complain(_ message: String) {
        var text = message.begins(with: programName) ? message : "\(programName): \(message)"
        if text.unicodeScalars.count > messageScalarsMax {
            text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(messageScalarsMax))) + "…"
        }
        let lines = text.pieces(at: "\n", omittingEmptySubsequences: false).map { String($0).withEscapedControls }
        StandardStream.error.write(lines.joined(separator: "\n") + "\n")
    }

    /// Writes a line to standard output.
    public static func printLine(_ line: String) { StandardStream.output.write(line + "\n") }
}
