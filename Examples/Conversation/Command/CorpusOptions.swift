//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitAnswers
import GodwitJSON

/// The directory and the database of the corpus.
struct CorpusOptions: ParsableArguments {
    static let usual = "godwit-data/corpus"

    @Option(
        help: ArgumentHelp(
            "The database of the corpus: its directory, a slash and its name. (default: \(CorpusOptions.usual))",
            valueName: "directory/name"))
    var database: String?

    /// The directory and the name.
    func location() throws -> (directory: String, name: String) {
        let path = database ?? CorpusOptions.usual
        guard let location = CorpusOptions.location(path) else {
            throw ValidationError("\(path) is no database. Specify its directory, a slash and its name.")
        }
        return location
    }

    static func location(_ path: String) -> (directory: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex, path.index(after: slash) < path.endIndex
        else { return nil }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}

/// The learned parameters.
struct ParameterOptions: ParsableArguments {
    @Option(help: "A file with learned parameters; without it, those for questions about health.")
    var parameters: String?

    func learned() throws -> AnswerParameters {
        guard let parameters else { return .health }
        guard let bytes = FileManager.default.contents(atPath: parameters),
            let value = try? JSONValue(parsing: Array(bytes)), let learned = AnswerParameters(value)
        else { throw ValidationError("\(parameters) has no parameters.") }
        return learned
    }
}
