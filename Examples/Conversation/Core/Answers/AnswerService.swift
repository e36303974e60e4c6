//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore
import Synchronization

/// Answers questions from a datastore that changes, for example by replication.
///
/// ```swift
/// let service = AnswerService(datastore, parameters: .health)
/// Task { await service.run() }
/// let (answers, _) = try await service.answers(to: "what is gout")
/// ```
public final class AnswerService: Sendable {
    /// The seconds that ``run()`` waits after a change before it indexes the corpus again.
    private static let quietSeconds = 1.0
    private static let retrySeconds = 10.0

    /// The corpus is not indexed yet.
    public struct NotReady: Error {}

    private let datastore: Datastore
    private let parameters: AnswerParameters
    private let reranker: (any Reranker)?
    private let engine = Mutex<(engine: AnswerEngine, sequence: UpdateSequence)?>(nil)

    /// Creates a service. It is ready when ``run()`` or ``index()`` has indexed the corpus.
    ///
    /// - Parameters:
    ///   - datastore: The datastore of the corpus.
    ///   - parameters: The learned parameters.
    ///   - reranker: The reranker that scores the candidates; `nil` to use the learned weights.
    public init(_ datastore: Datastore, parameters: AnswerParameters, reranker: (any Reranker)? = nil) {
        (self.datastore, self.parameters, self.reranker) = (datastore, parameters, reranker)
    }

    /// Whether the service is ready: the corpus is indexed, so questions can be answered.
    public var isReady: Bool { engine.withLock { $0 != nil } }

    /// The number of questions that the corpus has; 0 before the service is ready.
    public var questionCount: Int { engine.withLock { $0?.engine.questionCount } ?? 0 }

    /// Short questions of the corpus, which a page can suggest. Before the service is ready, the list is empty.
    public var exampleQuestions: [String] { engine.withLock { $0?.engine.exampleQuestions } ?? [] }

    /// Whether questions are answered from all documents that the datastore has now; `false` if the datastore cannot be
    /// read.
    public var isCurrent: Bool {
        guard let sequence = engine.withLock({ $0?.sequence }) else { return false }
        return (try? datastore.info().updateSequence) == sequence
    }

    /// Indexes the corpus, and indexes it again after changes, until the task is cancelled or the datastore is closed.
    /// After any other error, the indexing is tried again 10 seconds later.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await index()
                let sequence = engine.withLock { $0?.sequence }
                for try await _ in datastore.changes(since: sequence ?? .zero, withDocuments: false) {
                    // This task waits, because more changes usually follow soon.
                    try await Task.sleep(for: .seconds(Self.quietSeconds))
                    break
                }
            } catch {
                guard (try? datastore.info()) != nil else { return }
                try? await Task.sleep(for: .seconds(Self.retrySeconds))
            }
        }
    }

    /// Indexes the corpus as it is now. Does nothing if the datastore has not changed since it was last indexed.
    public func index() async throws(StoreError) {
        let sequence = try datastore.info().updateSequence
        guard engine.withLock({ $0?.sequence }) != sequence else { return }
        let corpus = try await AnswerCorpus(datastore)
        let created = try AnswerEngine(corpus, parameters: parameters, reranker: reranker)
        // This question makes the datastore update the text index.
        _ = try await created.answers(to: "index", limit: 1)
        engine.withLock { $0 = (created, sequence) }
    }

    /// Returns the answers to a question, and the reasons why they were chosen.
    ///
    /// - Throws: ``NotReady`` if the corpus is not indexed yet; ``GodwitStore/StoreError``.
    public func answers(
        to question: String, limit: Int = 5
    ) async throws -> (answers: [AnswerEngine.Answer], explanation: AnswerEngine.Explanation) {
        guard let engine = engine.withLock({ $0?.engine }) else { throw NotReady() }
        return try await engine.explainedAnswers(to: question, limit: limit)
    }
}
