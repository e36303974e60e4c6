//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import GodwitStore
import GodwitSync
import GodwitThreads
import Logging

// Every change of every user's database flows into one. A replication for each user would be a hundred thousand of them;
// here a commit leaves the database's name in a queue, and a few workers read what is new and write it by one commit each,
// together with how far they read. A revision that is written twice is there once, so that every step can be repeated.
//
// What was not taken when the server stopped is in the journal of databases (`DatabaseUpdate`), which has an entry for each
// database that was written to, also after a crash. The place in it moves on when all databases that had changes at a
// moment have been read since; what keeps failing is kept beside it by name.

/// Takes the changes of an application's users into its consolidated database.
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

    /// A database was written to; one that is no user's is left alone.
    func committed(_ name: String) {
        guard name.hasPrefix(application.databasePrefix) else { return }
        queue.withLock { $0.add(name) }
        wake.yield()
    }

    /// Consolidates until the task is cancelled or ``end()``.
    func run() async {
        // A group that keeps its tasks' results would keep one for each database that was ever read.
        await withDiscardingTaskGroup { group in
            group.addTask {
                // What was left must be in the line before it is noted that all of it was taken.
                await self.readJournal()
                await self.followNotes()
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

    /// Does something with a user's database while its changes are not taken.
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

    /// The seconds of a clock that never jumps.
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
        let (target, endpoint) = (try await consolidated, OwnedEndpoint(source, user: user))
        var position = try target.checkpoint(of: source)
        while true {
            try Task.checkCancellation()
            let page = try await endpoint.changes(after: position)
            if page.lastSequence != position { try await take(page, of: source, endpoint, into: target, after: position) }
            position = page.lastSequence
            if page.isLast { return }
        }
    }

    /// - Parameter place: What is noted while parts of the page are written.
    private func take(
        _ page: ChangesPage, of source: Datastore, _ endpoint: OwnedEndpoint, into target: ConsolidatedDatabase,
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
            let isComplete = wanted.isEmpty && !failures.contains { $0.mayPass }
            failures += try await target.write(
                plain, from: source, upTo: isComplete ? page.lastSequence : position ?? "0")
            try report(failures, of: source)
        } while !wanted.isEmpty
    }

    /// Tells of documents that are left out.
    ///
    /// - Throws: When one of them may be written later: then the page is read again.
    private func report(_ failures: [ReplicationFailure], of source: Datastore) throws {
        for failure in failures {
            guard !failure.mayPass else { throw RetryableFailure(failure: failure) }
            logger?.error(
                "a document was not consolidated",
                metadata: ["database": "\(source.name)", "id": "\(failure.id)", "reason": "\(failure.reason)"])
        }
    }

    /// A document that may be written when it is tried again.
    private struct RetryableFailure: Error, CustomStringConvertible {
        let failure: ReplicationFailure

        var description: String { "\(failure.id): \(failure.reason)" }
    }

    // MARK: What was left when the server stopped

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

    /// Keeps how far the journal was consolidated, every few seconds while something happens.
    private func followNotes() async {
        while (try? await Task.sleep(for: .seconds(BackendLimits.consolidationNoteSeconds))) != nil {
            guard queue.withLock(\.hasNews) else { continue }
            do {
                try await notePlace()
            } catch {
                guard !Task.isCancelled else { return }
                logger?.error("how far changes are consolidated was not kept", metadata: ["cause": "\(error)"])
            }
        }
    }

    private func notePlace() async throws {
        let last = try await manager.lastUpdate()
        queue.withLock { $0.beginNote() }
        while !queue.withLock(\.isNoteReady) { try await Task.sleep(for: .milliseconds(50)) }
        let failing = queue.withLock { queue in
            queue.endNote()
            return queue.failing
        }
        try await consolidated.notePlace(last, behind: failing)
    }

    private func wakeForFailures() async {
        while (try? await Task.sleep(for: .seconds(BackendLimits.consolidationRetrySeconds))) != nil {
            if queue.withLock({ $0.nextDueSeconds <= Self.now }) { wake.yield() }
        }
    }
}
