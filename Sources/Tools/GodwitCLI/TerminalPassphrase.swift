//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitHost
import GodwitJSON

/// Asks for passphrases on a terminal, without echo.
enum TerminalPassphrase {
    /// Returns the passphrase that the user types; `nil` when standard input is not a terminal.
    ///
    /// - Parameters:
    ///   - prompt: The text before the colon.
    ///   - isNew: Whether the user types the passphrase twice, so that a typing error is noticed.
    /// - Throws: ``CommandFailure`` when the input is empty or ends, or when the two passphrases differ.
    static func ask(for prompt: String, isNew: Bool = false) throws(CommandFailure) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let first = try read("\(prompt): ")
        guard isNew else { return first }
        guard try read("\(prompt), again: ").isIdenticalText(to: first) else {
            throw CommandFailure(message: "The two passphrases differ. Nothing was written.")
        }
        return first
    }

    private static func read(_ prompt: String) throws(CommandFailure) -> String {
        StandardStream.error.write(prompt)
        var savedSettings = termios()
        tcgetattr(STDIN_FILENO, &savedSettings)
        var hiddenSettings = savedSettings
        hiddenSettings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hiddenSettings)
        let line = readLine(strippingNewline: true)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &savedSettings)
        StandardStream.error.write("\n")
        guard let line, !line.isEmpty else { throw CommandFailure(message: "No passphrase was given.") }
        return line
    }
}
