//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import GodwitServer
import GodwitStore
import ProgramKit

/// The server module of Conversation: questions, answers from a corpus, and speech.
final class ConversationModule: ServerModule {
    /// The id of the application. The accounts of the application are the users.
    static let application = "conversation"
    /// The usual name of the database with the corpus.
    static let corpus = "corpus"

    /// See ``ServerModule/name``.
    let name = "Conversation"
    /// The page for questions.
    let homePage: String? = "/conversation"
    /// Speech is received over WebSockets.
    let usesWebSockets = true

    /// The origin of the questions with their answers.
    enum Corpus: Sendable {
        /// The questions of the database. If the database has no questions, the embedded questions on health are loaded
        /// into it.
        case embedded
        /// The questions of a file. At each start, they replace the questions of the database.
        case file(CorpusFile)
        /// The questions of the database, even if there are none.
        case database
    }

    private let corpus: Corpus
    private let database: String
    private let parameters: AnswerParameters
    private let speech: SpeechWorkers
    private let state = CorpusState()

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - corpus: The origin of the questions. If they are the embedded questions, the pages contain a medical
    ///     disclaimer.
    ///   - database: The name of the database with the corpus.
    ///   - parameters: The learned parameters.
    ///   - speech: The service that speaks texts and recognizes speech.
    init(
        corpus: Corpus = .embedded, database: String = ConversationModule.corpus,
        parameters: AnswerParameters = .health, speech: SpeechWorkers
    ) {
        (self.corpus, self.database, self.parameters, self.speech) = (corpus, database, parameters, speech)
    }

    /// See ``ServerModule/routes``.
    var routes: [Route] {
        let examples = ExampleQuestions(state: state)
        return AskRoutes(state: state).routes + PageRoutes(state: state, examples: examples).routes
            + SynthesisRoutes(speech: speech).routes + RecognitionRoutes(speech: speech, examples: examples).routes
    }

    /// Opens the database of the corpus.
    func start(in server: RunningServer) async throws {
        let datastore = try await server.manager.existingDatastore(named: database)
        state.start(AnswerService(datastore, parameters: parameters), datastore, server.logger)
    }

    /// Loads and indexes the corpus, and indexes it again after changes, until the task is cancelled.
    func run() async { await state.run(corpus) }
}

extension EmbeddedFiles {
    /// The files of the pages.
    static let conversation = EmbeddedFiles("conversation")
}
