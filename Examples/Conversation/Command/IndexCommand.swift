//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitAnswers
import GodwitDatabase
import GodwitHost

/// The `conversation index` command: imports a corpus.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Import a corpus of questions with their answers, and index it.",
        discussion: """
            FILE has an object in each line, with question and answer, and optionally id, focus, synonyms, kind, source and \
            url. Questions that the corpus has are replaced.
            """)

    private static let batchCount = 500

    @Argument(help: "The corpus, as JSON Lines; - for the standard input.")
    var file: String

    @Option(help: "The directory of the corpus.")
    var data = "conversation-data"

    func run() async throws {
        guard let lines = FileLines(file) else {
            throw ValidationError("\(file) cannot be read. Check its name and permissions.")
        }
        let manager = try DatastoreManager(directory: data)
        let corpus = try await AnswerCorpus(try await manager.datastore(named: "corpus"))
        var (batch, number, count) = ([QuestionAnswer](), 0, 0)
        var seen: [String: Int] = [:]
        for line in lines {
            number += 1
            guard let object = (try? JSONValue(parsing: line))?.objectValue,
                var pair = QuestionAnswer(line: object, number: number)
            else { throw ValidationError("Line \(number) is no object with a question and an answer.") }
            // A corpus may use an id for several questions.
            seen[pair.id, default: 0] += 1
            if let repetition = seen[pair.id], repetition > 1 { pair.id += "~\(repetition)" }
            batch.append(pair)
            guard batch.count == Self.batchCount else { continue }
            count += try await corpus.add(batch)
            batch = []
        }
        count += try await corpus.add(batch)
        CommandText.printLine("\(count) of \(number) questions were written.")
        await manager.close()
    }
}
