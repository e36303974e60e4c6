//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import GodwitBase
public import GodwitDatabase

extension ConversationModel {
    private static let requestSecondsMax = 60
    private static let attemptsMax = 2
    /// The interval, in seconds, at which the history is replicated even if nothing has changed on this device.
    private static let intervalSeconds = 60.0
    /// The time between two checks whether the corpus is indexed, in seconds.
    private static let statusSeconds = 0.5
    private static let designsMax = 10
    private static let topicsBytesMax = 1 << 20

    private var limits: ReplicationLimits {
        var limits = ReplicationLimits()
        (limits.attemptsMax, limits.requestSecondsMax) = (Self.attemptsMax, Self.requestSecondsMax)
        return limits
    }

    // MARK: The corpus

    /// Begins to pull the selected part of the corpus, and to index it.
    func startCorpus() async throws(DeviceError) {
        let store = try opened()
        selection = store.storedState().selection
        let corpus: Datastore
        do throws(StoreError) {
            corpus = try await store.corpus()
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
        let service = AnswerService(corpus, parameters: configuration.parameters)
        self.service = service
        (isCorpusReady, isCorpusComplete) = (false, false)
        corpusTasks = [
            Task { await service.run() },
            Task { [weak self] in await self?.watchCorpus(corpus, service) },
            Task { [weak self] in await self?.pullCorpus(corpus) },
        ]
    }

    func stopCorpus() async {
        for task in corpusTasks { task.cancel() }
        for task in corpusTasks { await task.value }
        (corpusTasks, service, isCorpusReady) = ([], nil, false)
    }

    private func watchCorpus(_ corpus: Datastore, _ service: AnswerService) async {
        while !Task.isCancelled {
            let count = (try? Self.questionCount(of: corpus)) ?? 0
            if count != corpusCount { corpusCount = count }
            let isReady = service.isCurrent
            if isReady != isCorpusReady { isCorpusReady = isReady }
            try? await Task.sleep(for: .seconds(Self.statusSeconds))
        }
    }

    /// Returns the number of documents that are not design documents.
    private static func questionCount(of corpus: Datastore) throws(StoreError) -> Int {
        let designs = try corpus.documents(
            in: IDRange(lower: "_design/", upper: "_design0"), limit: designsMax, descending: false)
        return try corpus.info().documentCount - designs.count
    }

    private func pullCorpus(_ corpus: Datastore) async {
        var retry = RetryDelay()
        while !Task.isCancelled {
            do {
                let list = try await topics(beginning: "")
                guard let name = list["database"]?.stringValue else {
                    throw DeviceError(
                        .unsupported, list["reason"]?.stringValue ?? "\(server) is no server of Conversation.")
                }
                guard try await isSameCorpus(name) else { return }
                let remote = RemoteEndpoint(
                    try RemoteURL("\(server)/\(name)"), credentials: Credentials.none, limits: limits,
                    transport: configuration.transport)
                var replicator = Replicator(.pull, corpus, with: remote, limits: limits)
                replicator.selection = try .matching(selection.selector)
                replicator.isContinuous = true
                let run = replicator.start()
                defer { run.stop() }
                for try await event in run {
                    guard !Task.isCancelled else { return }
                    switch event {
                    case .state(.idle): (isCorpusComplete, trouble, retry) = (true, nil, RetryDelay())
                    case .trouble(let error): note(error)
                    default: break
                    }
                }
            } catch {
                note(error)
            }
            try? await Task.sleep(for: .seconds(retry.next()))
        }
    }

    /// Whether the corpus on the device was pulled from the server's database with this name. If the device has no
    /// corpus yet, the method stores the name and returns `true`. If the corpus was pulled from another database, the
    /// method begins to replace it by the new corpus and returns `false`.
    private func isSameCorpus(_ name: String) async throws(DeviceError) -> Bool {
        let store = try opened()
        var state = store.storedState()
        let known = state.database
        guard known != name else { return true }
        state.database = name
        guard known != nil else {
            try await store.store(state)
            return true
        }
        // The code that removes the corpus waits until this task ends. Therefore, it must run in another task.
        Task { [weak self, state] in
            do { try await self?.pullAgain(store, storing: state) } catch { self?.note(error) }
        }
        return false
    }

    private func note(_ error: any Error) {
        switch error {
        case let error as ReplicationError:
            trouble = error.code == .network ? "The server cannot be reached." : error.message
        case let error as DeviceError:
            trouble = error.code == .unreachable ? "The server cannot be reached." : error.message
        default: trouble = "\(error)"
        }
    }

    /// Changes the part of the corpus that the device has. The corpus on the device is removed, and the selected part
    /// is pulled in the background. Does nothing if the selection does not change.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `input` for too many names, `locked` before the data is
    ///   open, or `storage`.
    public func select(_ newSelection: CorpusSelection) async throws(DeviceError) {
        let store = try opened()
        guard max(newSelection.sources.count, newSelection.topics.count) <= CorpusSelection.countMax else {
            throw DeviceError(.input, "Choose at most \(CorpusSelection.countMax) topics.")
        }
        guard newSelection != selection else { return }
        session.busy = "changing the topics"
        defer { session.busy = nil }
        var state = store.storedState()
        state.selection = newSelection
        try await pullAgain(store, storing: state)
    }

    /// Removes the corpus from the device, stores `state`, and begins to pull the part of the corpus that is selected
    /// in `state`. If the process ends before the state is stored, the corpus of the previous state is pulled at the
    /// next start.
    private func pullAgain(
        _ store: ConversationStore, storing state: ConversationStore.StoredState
    ) async throws(DeviceError) {
        await stopCorpus()
        do throws(DeviceError) {
            try await replaceCorpus(of: store, storing: state)
        } catch {
            // If the corpus could not be replaced, the device keeps it and continues to replicate it.
            try? await startCorpus()
            throw error
        }
        try await startCorpus()
    }

    private func replaceCorpus(
        of store: ConversationStore, storing state: ConversationStore.StoredState
    ) async throws(DeviceError) {
        do throws(StoreError) {
            try await store.removeCorpus()
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
        try await store.store(state)
        corpusCount = 0
    }

    /// Returns the sources of the server's corpus, and the topics that begin with a text, as the server's JSON. If the
    /// server reports an error, its JSON is returned: it has the member `reason`.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `unreachable`.
    public func topics(beginning prefix: String) async throws(DeviceError) -> JSONValue {
        do {
            let request = TransportRequest(
                method: "GET", url: "\(server)/topics?prefix=\(prefix.percentEncoded)",
                secondsMax: Self.requestSecondsMax)
            var bytes: [UInt8] = []
            for try await piece in try await configuration.transport.send(request).body {
                bytes += piece
                guard bytes.count <= Self.topicsBytesMax else { break }
            }
            return try JSONValue(parsing: bytes)
        } catch {
            throw DeviceError(.unreachable, "The topics cannot be read from the server.", cause: error)
        }
    }

    // MARK: The history

    /// Starts a task that replicates the history with the user's database, in both directions. The task does this after
    /// each change and at regular intervals.
    func startHistory() {
        historyTask?.cancel()
        historyTask = Task { [weak self] in
            var retry = RetryDelay()
            while !Task.isCancelled {
                guard let self else { return }
                let isDone = await self.exchange()
                if isDone { retry = RetryDelay() }
                await self.pause.wait(seconds: isDone ? Self.intervalSeconds : retry.next())
            }
        }
    }

    /// Pulls the history from the user's database, and pushes it to that database.
    ///
    /// - Returns: Whether the replications succeeded and the history was not changed on this device in the meantime.
    private func exchange() async -> Bool {
        guard let store, let access, user != nil else { return false }
        let changesBefore = changesCount
        do {
            guard let database = try await access.database else { return false }
            let remote = RemoteEndpoint(
                try RemoteURL("\(server)/\(database)"), credentials: .tokens(access), limits: limits,
                transport: configuration.transport)
            for replicator in store.replicators(with: remote) {
                let report = try await replicator.run()
                if report.changesDone > 0 { historyVersion += 1 }
                if let failure = report.failures.first {
                    trouble = failure.reason
                    return false
                }
            }
            isSent = changesCount == changesBefore
            trouble = nil
            return isSent
        } catch {
            note(error)
            return false
        }
    }
}
