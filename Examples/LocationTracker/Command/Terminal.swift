//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitHost
import LocationTrackerClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Who reads what is said, and who can be asked.
enum Terminal {
    /// Whether standard output is a terminal.
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// Whether standard input is a terminal, where somebody can be asked.
    static let asks = isatty(STDIN_FILENO) == 1

    /// Asks for a password: without an echo on a terminal, else the next line of standard input.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/input`` when there is none.
    static func password(_ question: String) throws(TrackerError) -> String {
        guard asks else { return try line() }
        StandardStream.error.write(question)
        var before = termios()
        tcgetattr(STDIN_FILENO, &before)
        var silent = before
        // Ctrl-C would end the program and leave the terminal without its echo: it comes as a character.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            StandardStream.error.write("\n")
        }
        return try line()
    }

    private static func line() throws(TrackerError) -> String {
        guard let line = readLine(), !line.isEmpty, !line.contains("\u{3}") else {
            throw TrackerError(
                .input, "No password was given. Set LOCATION_TRACKER_PASSWORD, or pass it as a line of standard input.")
        }
        return line
    }
}
