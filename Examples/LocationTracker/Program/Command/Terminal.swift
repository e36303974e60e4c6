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

/// Reads passwords, and checks whether standard input and output are terminals.
enum Terminal {
    /// Whether standard output is a terminal.
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// Whether standard input is a terminal. If so, the command can ask the user for input.
    static let asks = isatty(STDIN_FILENO) == 1

    /// Asks for a password, which is not shown while it is typed. If standard input is not a terminal, returns its next
    /// line.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/input`` when no password is given.
    static func password(_ question: String) throws(TrackerError) -> String {
        guard asks else { return try line() }
        StandardStream.error.write(question)
        var savedSettings = termios()
        tcgetattr(STDIN_FILENO, &savedSettings)
        var silentSettings = savedSettings
        // Without ISIG, Ctrl-C is read as a character. If Ctrl-C caused a signal, the program would end and leave the
        // terminal without echo.
        silentSettings.c_lflag &= ~tcflag_t(ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silentSettings)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &savedSettings)
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
