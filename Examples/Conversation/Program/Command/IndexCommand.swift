//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ConversationCore
import GodwitDatabase
import GodwitHost

/// The `conversation index` command: imports a corpus and indexes it.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Index a corpus of questions with their answers.",
        discussion: """
            FILE has an object in each line, with question and answer, and optionally id, focus, synonyms, kind, source \
            and url; it may be compressed with gzip. It is added to the database, which is created if it is absent. \
            Questions with the same id are replaced; without id, those with the same question and source. Without FILE \
            the questions that the database has are indexed, for example after godwit import.
            """)

    @Argument(help: "The corpus, as JSON Lines; - for the standard input.")
    var file: String?

    @OptionGroup var corpus: CorpusOptions

    func run() async throws {
        let source = try file.map { path throws(CorpusFile.Failure) in try CorpusFile(path: path) }
        let clock = ContinuousClock()
        let begun = clock.now
        let (manager, datastore) = try await source == nil ? corpus.existing() : corpus.created()
        if let source {
            let corpus = try await AnswerCorpus(datastore)
            var written = 0
            let count = try await source.read { written += try await corpus.add($0) }
            CommandText.printLine("\(written) of \(count) questions were written.")
        }
        let service = AnswerService(datastore, parameters: .health)
        try await service.index()
        let count = service.questionCount
        let seconds = ((clock.now - begun) / .seconds(0.1)).rounded() / 10
        CommandText.printLine(
            "\(corpus.path) has \(count) \(count == 1 ? "question" : "questions"), indexed in \(seconds) s.")
        if count == 0 {
            CommandText.complain("No document has the members question and answer, so that nothing can be answered.")
        }
        await manager.close()
    }
}
