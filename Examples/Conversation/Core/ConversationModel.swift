//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
public import GodwitDatabase
public import Observation

/// Conversation on a device: questions are answered from the corpus on the device, without a network, and the history
/// is exchanged with the user's database.
@MainActor @Observable
public final class ConversationModel: DeviceModel {
    /// The parts of the app that depend on the system.
    public struct Configuration: Sendable {
        /// The directory of the app's data.
        public var folder: String
        /// The provider of the key of the data; `nil` to protect a key file with the user's passphrase.
        public var key: (any KeyProvider)?
        /// The transport that sends the requests.
        public var transport: any Transport
        /// The description of the device for the list of the user's devices.
        public var device: AppDevice
        /// The version of the app.
        public var version: String
        /// The learned parameters of the answers.
        public var parameters: AnswerParameters

        /// Creates a configuration.
        public init(
            folder: String, key: (any KeyProvider)? = nil, transport: any Transport, device: AppDevice, version: String,
            parameters: AnswerParameters = .health
        ) {
            (self.folder, self.key, self.transport) = (folder, key, transport)
            (self.device, self.version, self.parameters) = (device, version, parameters)
        }
    }

    /// The id of the application on the server.
    public static let application = "conversation"

    /// A number that grows with each change of the history.
    public internal(set) var historyVersion = 0
    /// The number of documents of the corpus on this device.
    public internal(set) var corpusCount = 0
    /// Whether questions are answered from all documents of the corpus that are on this device now.
    public internal(set) var isCorpusReady = false
    /// Whether the device has the complete selected part of the corpus, as far as the app knows.
    public internal(set) var isCorpusComplete = false
    /// The part of the corpus that the device has.
    public internal(set) var selection = CorpusSelection()
    /// Whether the server has the history of this device, as far as the app knows.
    public internal(set) var isSent = false
    /// The reason why the last replication of the corpus or of the history failed; `nil` if it succeeded.
    public internal(set) var trouble: String?

    /// The screen that the app shows, and the user.
    public let session: DeviceSession
    let configuration: Configuration
    @ObservationIgnored var store: ConversationStore?
    @ObservationIgnored var service: AnswerService?
    @ObservationIgnored var corpusTasks: [Task<Void, Never>] = []
    @ObservationIgnored var historyTask: Task<Void, Never>?
    @ObservationIgnored let pause = LoopPause()
    /// The number of questions that were asked or deleted since the app was opened.
    @ObservationIgnored var changesCount = 0

    /// Creates the app. ``start()`` opens its data.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - configuration: The parts that depend on the system.
    public init(server: String, configuration: Configuration) {
        self.configuration = configuration
        session = DeviceSession(
            server: server, application: ConversationModel.application, folder: configuration.folder,
            transport: configuration.transport, device: configuration.device, version: configuration.version)
    }

    // MARK: Questions

    /// The maximum number of answers.
    private static let answersMax = 5

    /// Answers a question from the corpus on this device, and adds it to the history.
    ///
    /// - Parameter isSpoken: Whether the question was spoken.
    /// - Throws: ``DeviceKit/DeviceError`` with code `notFound` while the device has no answers yet, `input` for
    ///   an empty or too long question, or `locked` before the data is open.
    public func ask(_ question: String, isSpoken: Bool = false) async throws(DeviceError) -> AskedQuestion {
        let store = try opened()
        let text = question.trimmingCharacters(in: .whitespacesAndNewlines)
        guard 1...ConversationStore.questionBytesMax ~= text.utf8.count else {
            throw DeviceError(
                .input, "A question needs a text of at most \(ConversationStore.questionBytesMax) bytes.")
        }
        guard let service, service.isReady, corpusCount > 0 else {
            throw DeviceError(
                .notFound, "The answers are not on this device yet. They come from the server when it can be reached.")
        }
        let (found, explanation): ([AnswerEngine.Answer], AnswerEngine.Explanation)
        do {
            (found, explanation) = try await service.answers(to: text, limit: Self.answersMax)
        } catch {
            throw DeviceError(.storage, (error as? StoreError)?.message ?? "\(error)", cause: error)
        }
        let asked = AskedQuestion(
            id: UUID().uuidString.lowercased(), question: text,
            askedAt: Int64(Date().timeIntervalSince1970 * 1_000), isSpoken: isSpoken,
            answers: found.map { answer in
                AskedQuestion.Answer(
                    text: answer.passage, confidence: answer.confidence, question: answer.pair.question,
                    source: answer.pair.source, url: answer.pair.url)
            }, nearestTopics: explanation.nearestTopics)
        try await store.add(asked)
        await noteChange()
        return asked
    }

    /// Returns the newest questions before a time.
    ///
    /// - Parameters:
    ///   - time: The time, in milliseconds since 1970; `nil` for the newest questions.
    ///   - limit: The maximum number of questions.
    public func history(before time: Int64? = nil, limit: Int) async throws(DeviceError) -> [AskedQuestion] {
        try await opened().questions(before: time, limit: limit)
    }

    /// Deletes a question from the history; replications then delete it on all devices of the user. Does nothing if the
    /// question does not exist.
    public func remove(_ id: String) async throws(DeviceError) {
        try await opened().remove(id)
        await noteChange()
    }

    private func noteChange() async {
        changesCount += 1
        historyVersion += 1
        isSent = false
        await pause.wake()
    }

    func opened() throws(DeviceError) -> ConversationStore {
        guard let store else { throw DeviceError(.locked, "Unlock the device first.") }
        return store
    }
}
