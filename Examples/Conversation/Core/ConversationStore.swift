//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitDatabase

/// The encrypted data of a device: the history, the corpus, and the state of the app.
final class ConversationStore: Sendable {
    private static let corpusName = "corpus"
    /// The index of the history by time.
    private static let timeIndex = "asked"
    /// The maximum length of a question, in bytes.
    static let questionBytesMax = 2_000

    let manager: DatastoreManager
    let history: Datastore
    private let state: StateDocument
    private let key: EncryptionKey

    init(folder: String, key: EncryptionKey) async throws(DeviceError) {
        self.key = key
        do throws(StoreError) {
            manager = try DatastoreManager(directory: folder)
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
        do throws(StoreError) {
            history = try await manager.datastore(named: "history", encryption: .key(key))
            state = StateDocument(in: try await manager.datastore(named: "device", encryption: .key(key)))
            try await history.ensureIndex(
                [.ascending("type"), .ascending("askedAt")], named: Self.timeIndex, where: nil)
        } catch {
            await manager.close()
            throw DeviceError(.storage, error.message, cause: error)
        }
    }

    func close() async { await manager.close() }

    // MARK: The corpus

    func corpus() async throws(StoreError) -> Datastore {
        try await manager.datastore(named: Self.corpusName, encryption: .key(key))
    }

    func removeCorpus() async throws(StoreError) {
        if try await manager.names().contains(Self.corpusName) { try await manager.delete(named: Self.corpusName) }
    }

    // MARK: The state

    /// The stored state of the app.
    struct StoredState {
        /// Whether the user has chosen to sign in later.
        var isLater = false
        /// The user to whom the history belongs; `nil` before the first login.
        var owner: String?
        var selection = CorpusSelection()
        /// The name of the server's database with the corpus.
        var database: String?
    }

    func storedState() -> StoredState {
        let body = state.read()
        return StoredState(
            isLater: body["isLater"]?.boolValue ?? false, owner: body["owner"]?.stringValue,
            selection: CorpusSelection(body["selection"]), database: body["database"]?.stringValue)
    }

    func store(_ newState: StoredState) async throws(DeviceError) {
        var body: JSONObject = ["isLater": .bool(newState.isLater), "selection": newState.selection.json]
        if let owner = newState.owner { body["owner"] = .string(owner) }
        if let database = newState.database { body["database"] = .string(database) }
        do throws(StoreError) {
            try await state.write(body)
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
    }

    // MARK: The history

    /// Returns the newest questions before a time, in milliseconds since 1970; `nil` for the newest of all.
    func questions(before time: Int64?, limit: Int) async throws(DeviceError) -> [AskedQuestion] {
        var selector: JSONObject = ["type": .string(AskedQuestion.type)]
        selector["askedAt"] = time.map { ["$lt": .integer($0)] } ?? ["$gt": 0]
        let query = FindQuery(
            selector: selector, sort: [.descending("type"), .descending("askedAt")], limit: limit)
        do throws(StoreError) {
            return try await history.find(query).documents.compactMap { AskedQuestion($0) }
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
    }

    func add(_ question: AskedQuestion) async throws(DeviceError) {
        do throws(StoreError) {
            _ = try await history.create(question.document)
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
    }

    /// Deletes a question. Does nothing if the question does not exist.
    func remove(_ id: String) async throws(DeviceError) {
        do throws(StoreError) {
            try await history.delete(id)
        } catch {
            guard ![.notFound, .deleted].contains(error.code) else { return }
            throw DeviceError(.storage, error.message, cause: error)
        }
    }

    // MARK: Replication

    /// Returns the replications of the history with the user's database: first the pull, then the push. Design
    /// documents are not sent, because a member of the database may not write them.
    func replicators(with remote: RemoteEndpoint) -> [Replicator] {
        var push = Replicator(.push, history, with: remote)
        push.selection = .filter(named: "questions") { !($0.id ?? "").hasPrefix("_design/") }
        return [Replicator(.pull, history, with: remote), push]
    }
}
