//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes
import Logging
import ProgramKit
import Synchronization

/// The corpus while the server runs.
final class CorpusState: Sendable {
    private struct Opened {
        let service: AnswerService
        let datastore: Datastore
        let logger: Logger
    }

    private struct Progress {
        /// Whether topics can be listed.
        var isPrepared = false
        /// Whether the last attempt to load the corpus failed.
        var isFailed = false
        var isEmbedded = false
    }

    /// The id of the document that records whether the questions are the embedded questions. Devices do not pull this
    /// document.
    private static let originID = "corpus-origin"
    private static let originLoading = "loading"
    private static let originEmbedded = "embedded"
    private static let retrySeconds = 10.0

    private let opened = Mutex<Opened?>(nil)
    private let progress = Mutex(Progress())

    /// Whether the questions are the embedded questions on health. Before the corpus is loaded, it is `false`.
    var isEmbedded: Bool { progress.withLock { $0.isEmbedded } }

    /// Short questions of the corpus. Before the corpus is indexed, the list is empty.
    var exampleQuestions: [String] { opened.withLock { $0 }?.service.exampleQuestions ?? [] }

    func start(_ service: AnswerService, _ datastore: Datastore, _ logger: Logger) {
        opened.withLock { $0 = Opened(service: service, datastore: datastore, logger: logger) }
    }

    // MARK: Loading

    /// Loads the corpus, and follows its changes until the task is cancelled. If the file of the corpus is not valid,
    /// this method returns. After any other failure, it tries again.
    func run(_ source: ConversationModule.Corpus) async {
        guard let opened = opened.withLock({ $0 }) else { return }
        while !Task.isCancelled {
            do {
                try await load(source, opened)
                return await opened.service.run()
            } catch is CancellationError {
                return
            } catch let failure as CorpusFile.Failure {
                // The corpus is not used, because an incomplete corpus would give wrong answers.
                return note(failure.description, opened)
            } catch {
                note((error as? StoreError)?.message ?? "\(error)", opened)
                try? await Task.sleep(for: .seconds(Self.retrySeconds))
            }
        }
    }

    private func note(_ reason: String, _ opened: Opened) {
        progress.withLock { $0.isFailed = true }
        opened.logger.error("The corpus cannot be loaded: \(reason)")
    }

    private func load(_ source: ConversationModule.Corpus, _ opened: Opened) async throws {
        try await CorpusTopics(opened.datastore).prepare()
        progress.withLock { $0.isPrepared = true }
        let corpus = try await AnswerCorpus(opened.datastore)
        switch source {
        case .database: break
        case .file(let file): try await replace(corpus, with: file)
        case .embedded: try await loadEmbedded(corpus)
        }
        let isEmbedded = try origin(of: opened.datastore)?.body["origin"]?.stringValue == Self.originEmbedded
        try await opened.service.index()
        progress.withLock { ($0.isFailed, $0.isEmbedded) = (false, isEmbedded) }
        let count = opened.service.questionCount
        if count == 0 {
            opened.logger.warning("The corpus has no document with question and answer.")
        } else {
            opened.logger.info("The corpus has \(count) questions.")
        }
    }

    private func replace(_ corpus: AnswerCorpus, with file: CorpusFile) async throws {
        try await setOrigin(nil, of: corpus.datastore)
        var ids: Set<String> = []
        let count = try await add(file, to: corpus) { ids.formUnion($0.map(\.id)) }
        guard count > 0 else { throw CorpusFile.Failure(description: "The file has no questions.") }
        try await corpus.removeAll(except: ids)
    }

    /// Loads the embedded questions if the database has no questions, or if an earlier call was interrupted before it
    /// had loaded all questions.
    private func loadEmbedded(_ corpus: AnswerCorpus) async throws {
        let origin = try origin(of: corpus.datastore)?.body["origin"]?.stringValue
        let isInterrupted = origin == Self.originLoading
        guard try isInterrupted || origin == nil && corpus.first(1).isEmpty else { return }
        try await setOrigin(Self.originLoading, of: corpus.datastore)
        _ = try await add(CorpusFile.embedded, to: corpus)
        try await setOrigin(Self.originEmbedded, of: corpus.datastore)
    }

    private func add(
        _ file: CorpusFile, to corpus: AnswerCorpus, receive: ([QuestionAnswer]) -> Void = { _ in }
    ) async throws -> Int {
        try await file.read { batch in
            try Task.checkCancellation()
            _ = try await corpus.add(batch)
            receive(batch)
        }
    }

    private func origin(of datastore: Datastore) throws(StoreError) -> Document? {
        try datastore.documents([Self.originID]).first ?? nil
    }

    private func setOrigin(_ origin: String?, of datastore: Datastore) async throws(StoreError) {
        switch (try self.origin(of: datastore), origin) {
        case (nil, nil): break
        case (let known?, nil): _ = try await datastore.delete(known)
        case (nil, let origin?):
            _ = try await datastore.create(Document(id: Self.originID, body: ["origin": .string(origin)]))
        case (var known?, let origin?):
            known.body["origin"] = .string(origin)
            _ = try await datastore.update(known)
        }
    }

    // MARK: Reading

    /// Returns the database of the corpus.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 503 before the indexes of the topics exist.
    func datastore() throws(HTTPFailure) -> Datastore {
        guard let opened = opened.withLock({ $0 }), progress.withLock({ $0.isPrepared }) else { throw notReady }
        return opened.datastore
    }

    /// Returns the answers to a question.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 503 while the corpus is loaded and indexed for the first
    ///   time, and if the corpus cannot be loaded.
    func answers(
        to question: String, limit: Int
    ) async throws -> (answers: [AnswerEngine.Answer], explanation: AnswerEngine.Explanation) {
        guard let service = opened.withLock({ $0 })?.service, !progress.withLock({ $0.isFailed }) else {
            throw notReady
        }
        do {
            return try await service.answers(to: question, limit: limit)
        } catch is AnswerService.NotReady {
            throw notReady
        }
    }

    private var notReady: HTTPFailure {
        let isFailed = progress.withLock { $0.isFailed }
        var failure = HTTPFailure(
            .serviceUnavailable, "not_ready",
            isFailed
                ? "The corpus cannot be loaded. The server's log has the reason."
                : "The corpus is being indexed. Ask again in a few seconds.")
        failure.headers[.retryAfter] = "2"
        return failure
    }
}
