//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CConversationAssets
import EmbeddedFiles
public import GodwitAnswers
public import GodwitServer
public import GodwitSpeech
import GodwitStore
import HTTPTypes
import Logging
import Synchronization

/// The server module of Conversation: questions, answers from a corpus, and speech.
public final class ConversationModule: ServerModule {
    /// The id of the application, whose accounts are the users.
    public static let application = "conversation"
    /// The usual name of the database with the corpus.
    public static let corpus = "corpus"

    /// See ``ServerModule/name``.
    public let name = "Conversation"
    /// The page for questions.
    public let homePage: String? = "/conversation"
    /// Speech is received over WebSockets.
    public let usesWebSockets = true

    private let database: String
    private let file: CorpusFile?
    private let parameters: AnswerParameters
    private let speech: SpeechWorkers
    private let state = CorpusState()

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - database: The name of the database with the corpus.
    ///   - file: A corpus that is loaded at each start; `nil` for the embedded one, which is loaded into an empty database.
    ///   - parameters: The learned parameters.
    ///   - speech: Speaks and recognises.
    public init(
        database: String = ConversationModule.corpus, file: CorpusFile? = nil, parameters: AnswerParameters = .health,
        speech: SpeechWorkers
    ) {
        (self.database, self.file, self.parameters, self.speech) = (database, file, parameters, speech)
    }

    /// See ``ServerModule/routes``.
    public var routes: [Route] {
        AskRoutes(state: state).routes + PageRoutes(state: state).routes
            + SynthesisRoutes(speech: speech).routes + RecognitionRoutes(speech: speech).routes
    }

    /// Opens the database of the corpus.
    public func start(in server: RunningServer) async throws {
        let datastore = try await server.manager.existingDatastore(named: database)
        state.start(AnswerService(datastore, parameters: parameters), datastore, server.logger)
    }

    /// Loads and indexes the corpus, and again after changes, until the task is cancelled.
    public func run() async { await state.run(file) }
}

/// The corpus while the server runs.
final class CorpusState: Sendable {
    private struct Opened {
        let service: AnswerService
        let datastore: Datastore
        let logger: Logger
    }

    private let opened = Mutex<Opened?>(nil)
    private let failure = Mutex<String?>(nil)

    func start(_ service: AnswerService, _ datastore: Datastore, _ logger: Logger) {
        opened.withLock { $0 = Opened(service: service, datastore: datastore, logger: logger) }
    }

    /// Loads the corpus, and follows its changes.
    func run(_ file: CorpusFile?) async {
        guard let opened = opened.withLock({ $0 }) else { return }
        do {
            if let file {
                try await load(file, opened)
            } else if try opened.datastore.info().documentCount == 0 {
                try await load(CorpusFile(EmbeddedFiles.smallCorpus), opened)
            }
        } catch is CancellationError {
            return
        } catch {
            let reason = (error as? StoreError)?.message ?? "\(error)"
            failure.withLock { $0 = reason }
            opened.logger.error("The corpus cannot be loaded: \(reason)")
        }
        await opened.service.run()
    }

    private func load(_ file: CorpusFile, _ opened: Opened) async throws {
        let corpus = try await AnswerCorpus(opened.datastore)
        let count = try await file.read { batch in
            try Task.checkCancellation()
            _ = try await corpus.add(batch)
        }
        opened.logger.info("The corpus has \(count) questions.")
    }

    /// The database of the corpus.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 503 before the server has started.
    func datastore() throws(HTTPFailure) -> Datastore {
        guard let opened = opened.withLock({ $0 }) else { throw notReady }
        return opened.datastore
    }

    /// Returns the answers to a question.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 503 while the corpus is indexed.
    func answers(
        to question: String, limit: Int
    ) async throws -> (answers: [AnswerEngine.Answer], explanation: AnswerEngine.Explanation) {
        guard let service = opened.withLock({ $0 })?.service else { throw notReady }
        do {
            return try await service.answers(to: question, limit: limit)
        } catch is AnswerService.NotReady {
            throw notReady
        }
    }

    private var notReady: HTTPFailure {
        let reason = failure.withLock { $0 }.map { "The corpus cannot be loaded: \($0)" }
        var failure = HTTPFailure(
            .serviceUnavailable, "not_ready", reason ?? "The corpus is being indexed. Ask again in a few seconds.")
        failure.headers[.retryAfter] = "2"
        return failure
    }
}

extension EmbeddedFiles {
    /// The files of the pages.
    static let conversation = EmbeddedFiles(conversation_asset)

    /// The corpus that is loaded into an empty database.
    static var smallCorpus: [UInt8] {
        var size = 0
        return conversation_corpus(&size).map { Array(UnsafeBufferPointer(start: $0, count: size)) } ?? []
    }
}
