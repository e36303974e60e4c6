//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// The command of a program that arguments name, for messages.
struct NamedCommand {
    /// What is typed to come to it: `godwit serve`.
    let words: String
    /// A command that the word behind them is nearly called; `nil` when there is none.
    let suggestion: String?
    /// The word behind them where a command should stand and does not; `nil` when there is none.
    let unknown: String?

    /// Letters in which what was typed may differ from what was meant.
    private static let differencesMax = 2

    init(_ program: any ParsableCommand.Type, _ arguments: [String]) {
        var command = program
        var words = CommandText.programName
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard let next = commands.first(where: { $0._commandName == argument }) else {
                self.words = words
                unknown = commands.isEmpty || argument.hasPrefix("-") ? nil : argument
                suggestion = NamedCommand.nearest(to: argument, among: commands.map { $0._commandName })
                return
            }
            command = next
            words += " \(argument)"
        }
        self.words = words
        (suggestion, unknown) = (nil, nil)
    }

    /// The name that a word begins, or from which it differs the least.
    private static func nearest(to word: String, among names: [String]) -> String? {
        let near = names.map { (name: $0, differences: $0.hasPrefix(word) ? 1 : differences(word, $0)) }
            .filter { $0.differences <= min(differencesMax, word.count - 1) }
        return near.min { $0.differences < $1.differences }?.name
    }

    /// Letters to put in, take out or change between two words: Levenshtein's distance.
    private static func differences(_ one: String, _ other: String) -> Int {
        var row = Array(0...other.count)
        for (i, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, otherLetter) in other.enumerated() {
                let changed = diagonal + (letter == otherLetter ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, diagonal + 1, row[j] + 1)
            }
        }
        return row[other.count]
    }
}
