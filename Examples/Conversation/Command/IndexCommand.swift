//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitAnswers
import GodwitDatabase
import GodwitHost

/// The `conversation index` command: imports a corpus and indexes it.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Index a corpus of questions with their answers.",
        discussion: """
            FILE has an object in each line, with question and answer, and optionally id, focus, synonyms, kind, source and             url; it may be compressed with gzip. Questions that the corpus has are replaced. Without FILE the questions that             the database has are indexed, for example after godwit import.
            """)

    @Argument(help: "The corpus, as JSON Lines; - for the standard input.")
    var file: String?

    @OptionGroup var corpus: CorpusOptions

    func run() async throws {
        let (directory, name) = try corpus.location()
        let source = try file.map { path throws(CorpusFile.Failure) in try CorpusFile(path: path) }
        let clock = ContinuousClock()
        let begun = clock.now
        let manager = try DatastoreManager(directory: directory)
        let datastore = try await manager.datastore(named: name)
        if let source {
            let corpus = try await AnswerCorpus(datastore)
            var written = 0
            let count = try await source.read { written += try await corpus.add($0) }
            CommandText.printLine("\(written) of \(count) questions were written.")
        }
        try await AnswerService(datastore, parameters: .health).index()
        let count = try datastore.info().documentCount
        let seconds = (clock.now - begun).components.seconds
        CommandText.printLine("\(directory)/\(name) has \(count) documents; it was indexed in \(seconds) s.")
        await manager.close()
    }
}
