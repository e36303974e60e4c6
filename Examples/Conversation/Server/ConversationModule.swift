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

    /// Where the questions with their answers come from.
    public enum Corpus: Sendable {
        /// The embedded questions on health, which are loaded into a database without questions.
        case embedded
        /// A file, whose questions replace those of the database at each start.
        case file(CorpusFile)
        /// The database as it is.
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
    ///   - corpus: Where the questions come from. Pages about health have a disclaimer.
    ///   - database: The name of the database with the corpus.
    ///   - parameters: The learned parameters.
    ///   - speech: Speaks and recognises.
    public init(
        corpus: Corpus = .embedded, database: String = ConversationModule.corpus,
        parameters: AnswerParameters = .health, speech: SpeechWorkers
    ) {
        (self.corpus, self.database, self.parameters, self.speech) = (corpus, database, parameters, speech)
    }

    /// See ``ServerModule/routes``.
    public var routes: [Route] {
        let examples = ExampleQuestions(state: state, isEmbedded: isEmbedded)
        return AskRoutes(state: state).routes
            + PageRoutes(state: state, examples: examples, texts: isEmbedded ? .health : .general).routes
            + SynthesisRoutes(speech: speech).routes + RecognitionRoutes(speech: speech, examples: examples).routes
    }

    private var isEmbedded: Bool { if case .embedded = corpus { true } else { false } }

    /// Opens the database of the corpus.
    public func start(in server: RunningServer) async throws {
        let datastore = try await server.manager.existingDatastore(named: database)
        state.start(AnswerService(datastore, parameters: parameters), datastore, server.logger)
    }

    /// Loads and indexes the corpus, and again after changes, until the task is cancelled.
    public func run() async { await state.run(corpus) }
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
    func run(_ source: ConversationModule.Corpus) async {
        guard let opened = opened.withLock({ $0 }) else { return }
        do {
            switch source {
            case .database: break
            case .file(let file): try await load(file, opened, removesOthers: true)
            case .embedded:
                if try await AnswerCorpus(opened.datastore).first(1).isEmpty {
                    try await load(CorpusFile(EmbeddedFiles.smallCorpus), opened, removesOthers: false)
                }
            }
            try await opened.service.index()
            if opened.service.questionCount == 0 {
                opened.logger.warning("The corpus has no document with question and answer.")
            }
        } catch is CancellationError {
            return
        } catch {
            // A part of a corpus would give wrong answers.
            let reason = (error as? StoreError)?.message ?? "\(error)"
            failure.withLock { $0 = reason }
            return opened.logger.error("The corpus cannot be loaded: \(reason)")
        }
        await opened.service.run()
    }

    private func load(_ file: CorpusFile, _ opened: Opened, removesOthers: Bool) async throws {
        let corpus = try await AnswerCorpus(opened.datastore)
        var ids: Set<String> = []
        let count = try await file.read { batch in
            try Task.checkCancellation()
            _ = try await corpus.add(batch)
            if removesOthers { ids.formUnion(batch.map(\.id)) }
        }
        if removesOthers { _ = try await corpus.removeAll(except: ids) }
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
        guard let service = opened.withLock({ $0 })?.service, failure.withLock({ $0 == nil }) else { throw notReady }
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
