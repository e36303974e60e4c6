//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer
import GodwitStore
import GodwitSync
import Logging

// All changes of all users' databases are replicated into one database. A separate replication for each user would
// result in too many replications. Instead, a commit adds the database's name to a queue. A small number of workers
// read the new changes, and write them in one transaction together with the checkpoint. Writing a revision that exists
// already has no effect. Therefore every step can be repeated.
//
// The journal of databases (`DatabaseUpdate`) has an entry for each database that was written to, even after a crash.
// When the server starts, the journal shows which changes were not consolidated when the server stopped: the changes
// after a stored sequence of the journal, the checkpoint. To store a new checkpoint, Godwit reads the newest sequence
// of the journal. It waits until all databases that had changes at that moment have been read, and then stores this
// sequence. The names of databases that fail again and again are stored with the sequence.

/// Replicates the changes of an application's users into its consolidated database.
final class Consolidation: Sendable {
    private let application: Application
    private let manager: DatastoreManager
    private let logger: Logger?
    private let queue = Mutex(ConsolidationQueue(workersMax: BackendLimits.consolidatedTogetherMax))
    private let work: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(application: Application, manager: DatastoreManager, logger: Logger?) {
        self.application = application
        self.manager = manager
        self.logger = logger
        (work, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a database that was written to. Ignores databases that do not belong to a user.
    func committed(_ name: String) {
        guard name.begins(with: application.databasePrefix) else { return }
        queue.withLock { $0.add(name) }
        wake.yield()
    }

    /// Consolidates until the task is cancelled or ``end()`` is called.
    func run() async {
        // This kind of task group discards the results of its tasks. Another kind would store a result for each
        // database that was ever read.
        await withDiscardingTaskGroup { group in
            group.addTask {
                // First, the databases that were not consolidated before the restart are added to the queue. Only then
                // may a new sequence of the journal be stored.
                await self.readJournal()
                await self.storeCheckpoints()
            }
            group.addTask { await self.wakeForFailures() }
            for await _ in work {
                while let name = queue.withLock({ $0.next(now: Self.now) }) {
                    group.addTask { await self.take(name) }
                }
            }
            group.cancelAll()
        }
    }

    /// Ends ``run()``.
    func end() { wake.finish() }

    /// Pauses the consolidation of a user's database while a closure runs.
    func pausing(_ name: String, _ body: (ConsolidatedDatabase) async throws -> Void) async throws {
        defer {
            queue.withLock { $0.resume(name) }
            wake.yield()
        }
        while !queue.withLock({ $0.pause(name) }) { try await Task.sleep(for: .milliseconds(10)) }
        try await body(try await consolidated)
    }

    private var consolidated: ConsolidatedDatabase {
        get async throws {
            ConsolidatedDatabase(try await manager.existingDatastore(named: application.consolidated?.name ?? ""))
        }
    }

    /// The time of a monotonic clock, in seconds.
    private static var now: Double { Moment.distantPast.secondsAgo }

    // MARK: One database

    private func take(_ name: String) async {
        var succeeded = true
        do {
            try await takeAll(of: name)
        } catch {
            succeeded = false
            if !Task.isCancelled {
                logger?.error("changes were not consolidated", metadata: ["database": "\(name)", "cause": "\(error)"])
            }
        }
        queue.withLock { [succeeded] in $0.finish(name, succeeded: succeeded, now: Self.now) }
        wake.yield()
    }

    private func takeAll(of name: String) async throws {
        guard let user = UserName.user(of: name, in: application) else { return }
        let source: Datastore
        do {
            source = try await manager.existingDatastore(named: name)
        } catch {
            guard error.code == .databaseNotFound else { throw error }
            return
        }
        let (target, endpoint) = (try await consolidated, PrefixingEndpoint(source, user: user))
        var position = try target.checkpoint(of: source)
        while true {
            try Task.checkCancellation()
            let page = try await endpoint.changes(after: position)
            if !ExactText.areEqual(page.lastSequence, position) {
                try await take(page, of: source, endpoint, into: target, after: position)
            }
            position = page.lastSequence
            if page.isLast { return }
        }
    }

    /// Writes a page of changes.
    ///
    /// - Parameter position: The checkpoint that is stored as long as only a part of the page is written.
    private func take(
        _ page: ChangesPage, of source: Datastore, _ endpoint: PrefixingEndpoint, into target: ConsolidatedDatabase,
        after position: String?
    ) async throws {
        var wanted = try await target.endpoint.missing(page.changes)
        repeat {
            let read = try await endpoint.read(wanted)
            wanted = read.unread
            var (plain, failures) = ([ReplicatedDocument](), read.failures)
            for document in read.documents {
                if document.attachments.isEmpty {
                    plain.append(document)
                } else if let failure = try await endpoint.carry(document, into: target.endpoint) {
                    failures.append(failure)
                }
            }
            let isComplete = wanted.isEmpty && !failures.contains { $0.mayRetry }
            failures += try await target.write(
                plain, from: source, upTo: isComplete ? page.lastSequence : position ?? "0")
            try report(failures, of: source)
        } while !wanted.isEmpty
    }

    /// Logs the documents that could not be written and are skipped.
    ///
    /// - Throws: An error when a later attempt to write a document may succeed. In this case, the page is read again.
    private func report(_ failures: [ReplicationFailure], of source: Datastore) throws {
        for failure in failures {
            guard !failure.mayRetry else { throw RetryableFailure(failure: failure) }
            logger?.error(
                "a document was not consolidated",
                metadata: ["database": "\(source.name)", "id": "\(failure.id)", "reason": "\(failure.reason)"])
        }
    }

    /// The error of a document that may be written in a later attempt.
    private struct RetryableFailure: Error, CustomStringConvertible {
        let failure: ReplicationFailure

        var description: String { "\(failure.id): \(failure.reason)" }
    }

    // MARK: Resuming after a restart

    private func readJournal() async {
        while !(await readsJournal()) {
            let pause = Duration.seconds(BackendLimits.consolidationRetrySeconds)
            guard (try? await Task.sleep(for: pause)) != nil else { return }
        }
    }

    private func readsJournal() async -> Bool {
        do {
            let (sequence, behind) = try await consolidated.position()
            for name in behind { committed(name) }
            for try await update in manager.databaseUpdates(after: sequence, live: false) where update.kind != .deleted
            {
                committed(update.name)
            }
            return true
        } catch {
            logger?.error("the journal of databases cannot be read", metadata: ["cause": "\(error)"])
            return false
        }
    }

    /// Stores the consolidated sequence of the journal every few seconds while changes arrive.
    private func storeCheckpoints() async {
        while (try? await Task.sleep(for: .seconds(BackendLimits.consolidationCheckpointSeconds))) != nil {
            guard queue.withLock(\.hasNews) else { continue }
            do {
                try await storeCheckpoint()
            } catch {
                guard !Task.isCancelled else { return }
                logger?.error("the position of the consolidation could not be stored", metadata: ["cause": "\(error)"])
            }
        }
    }

    private func storeCheckpoint() async throws {
        let last = try await manager.lastUpdate()
        queue.withLock { $0.beginCheckpoint() }
        while !queue.withLock(\.isCheckpointReady) { try await Task.sleep(for: .milliseconds(50)) }
        let failing = queue.withLock { queue in
            queue.endCheckpoint()
            return queue.failing
        }
        try await consolidated.storeCheckpoint(last, behind: failing)
    }

    private func wakeForFailures() async {
        while (try? await Task.sleep(for: .seconds(BackendLimits.consolidationRetrySeconds))) != nil {
            if queue.withLock({ $0.nextDueSeconds <= Self.now }) { wake.yield() }
        }
    }
}
