//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ConversationCore
import Foundation
import GodwitBackend
import GodwitHost

/// The `conversation serve` command: runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve Conversation: a Godwit server that answers questions and speaks.",
        discussion: ServeOptions.discussion + """

            Without --corpus the embedded questions on health are loaded into a database without questions. The pages are \
            at /conversation. The server accepts requests before the corpus is indexed; until then /ask answers 503 with \
            Retry-After.
            """)

    @OptionGroup var options: ServeOptions

    @Option(
        help: ArgumentHelp(
            "A corpus as JSON Lines, also compressed with gzip, whose questions replace those of the database; or a database of the data directory: the directory, a slash and its name.",
            valueName: "file"))
    var corpus: String?

    @OptionGroup var parameters: ParameterOptions

    @OptionGroup var speech: SpeechOptions

    func run() async throws {
        let (database, file) = try source()
        let module = ConversationModule(
            corpus: corpus == nil ? .embedded : file.map { .file($0) } ?? .database, database: database,
            parameters: try parameters.learned(), speech: speech.workers())
        try await options.serve(applications: [try .conversation(corpus: database)]) { _ in [module] }
    }

    /// Returns the name of the database, and the file that is loaded into the database.
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
