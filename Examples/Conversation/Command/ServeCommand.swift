//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ConversationServer
import Foundation
import GodwitAnswers
import GodwitBackend
import GodwitHost
import GodwitSpeech

/// The `conversation serve` command: runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve Conversation: a Godwit server that answers questions and speaks.",
        discussion: ServeOptions.discussion + """


            Without --corpus the embedded questions on health are loaded into an empty database. The server accepts requests             before the corpus is indexed; until then /ask answers 503 with Retry-After.
            """)

    @OptionGroup var options: ServeOptions

    @Option(
        help: ArgumentHelp(
            "A corpus as JSON Lines, also compressed with gzip, or a database of the data directory: the directory, a slash and its name.",
            valueName: "file"))
    var corpus: String?

    @OptionGroup var parameters: ParameterOptions

    @Option(
        help: ArgumentHelp(
            "The directory of a language model for speech, which Training/speech.py makes of a corpus. Without it a general one of English is used.",
            valueName: "directory"))
    var speechModel: String?

    @Option(help: "The maximum number of processes that recognise speech. (default: the number of cores - 1, at least 1)")
    var recognitionsMax: Int?

    func validate() throws {
        if let recognitionsMax, !(1...64 ~= recognitionsMax) {
            throw ValidationError("--recognitions-max must be between 1 and 64.")
        }
        if let speechModel, !FileManager.default.fileExists(atPath: "\(speechModel)/corpus.dict") {
            throw ValidationError("\(speechModel) has no corpus.dict. Training/speech.py makes it of a corpus.")
        }
    }

    func run() async throws {
        var limits = SpeechLimits()
        if let recognitionsMax { limits.recognitionsMax = recognitionsMax }
        let (database, file) = try source()
        let module = ConversationModule(
            database: database, file: file, parameters: try parameters.learned(),
            speech: SpeechWorkers(languageModel: speechModel, limits: limits))
        try await options.serve(applications: [try .conversation(corpus: database)]) { _ in [module] }
    }

    /// The name of the database, and the file that is loaded into it.
    private func source() throws -> (database: String, file: CorpusFile?) {
        guard let corpus else { return (ConversationModule.corpus, nil) }
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: corpus, isDirectory: &isDirectory), !isDirectory.boolValue {
            do throws(CorpusFile.Failure) {
                return (ConversationModule.corpus, try CorpusFile(path: corpus))
            } catch {
                throw ValidationError(error.description)
            }
        }
        let directory = options.directory
        guard let location = CorpusOptions.location(corpus),
            URL(filePath: location.directory).standardizedFileURL == URL(filePath: directory).standardizedFileURL
        else { throw ValidationError("\(corpus) is neither a file nor a database of \(directory).") }
        return (location.name, nil)
    }
}
