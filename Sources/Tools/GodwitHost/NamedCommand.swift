//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase

/// Finds the command that the arguments name, for error messages.
struct NamedCommand {
    /// The command's full name, for example `godwit serve`.
    let words: String
    /// A subcommand whose name is similar to the argument after the command's name; `nil` when no name is similar.
    let suggestion: String?
    /// The argument at the place where the name of a subcommand is expected; `nil` when no subcommand is expected, or
    /// when the argument is the name of a subcommand.
    let unknown: String?

    /// The maximum edit distance of a suggestion.
    private static let differencesMax = 2

    init(_ program: any ParsableCommand.Type, _ arguments: [String]) {
        var command = program
        var words = CommandText.programName
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard let nextCommand = commands.first(where: { $0._commandName.utf8.elementsEqual(argument.utf8) }) else {
                self.words = words
                unknown = commands.isEmpty || argument.begins(with: "-") ? nil : argument
                suggestion = NamedCommand.nearest(to: argument, among: commands.map { $0._commandName })
                return
            }
            command = nextCommand
            words += " \(argument)"
        }
        self.words = words
        (suggestion, unknown) = (nil, nil)
    }

    /// Returns the name with the smallest edit distance from a word. For a name that starts with the word, the distance
    /// is 1. A name is used only if its distance is at most ``differencesMax`` and less than the length of the word.
    /// Returns `nil` if there is no such name.
    private static func nearest(to word: String, among names: [String]) -> String? {
        let candidates = names.map { (name: $0, differences: $0.begins(with: word) ? 1 : differences(word, $0)) }
            .filter { $0.differences <= min(differencesMax, word.count - 1) }
        return candidates.min { $0.differences < $1.differences }?.name
    }

    /// Returns Levenshtein's edit distance of two words.
    private static func differences(_ word: String, _ otherWord: String) -> Int {
        var row = Array(0...otherWord.count)
        for (index, letter) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, otherLetter) in otherWord.enumerated() {
                // Exact: letters are compared as the user sees them.
                let substituted = diagonal + (letter == otherLetter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[otherWord.count]
    }
}
