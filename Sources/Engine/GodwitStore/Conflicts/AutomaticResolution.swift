//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// An automatic resolver runs after the commit that created a conflict, in a separate write, so that user code never
// blocks the writer. Two devices with different resolvers would resolve the conflict between their results again and
// again, without end. Therefore, the number of resolutions of a document within an hour is limited to
// `resolutionRoundsMax`. If the document is in conflict again after that, it is left in conflict and reported.

/// The automatic resolver of a database, and the documents that wait for it.
final class AutomaticResolution: Sendable {
    private struct State {
        var resolver: ConflictResolver?
        var report: (@Sendable (String, any Error) -> Void)?
        var waiting = JobQueue<String>()
        var waitingCount = 0
        /// Whether all conflicted documents are to be resolved. It becomes `true` when a resolver is set, and when a
        /// document cannot join the queue because the queue is full.
        var isForAll = false
        /// For each document, the number of its resolutions and the time of the first resolution.
        var rounds: [ExactText: (count: Int, since: Moment)] = [:]
    }

    private let state = Mutex(State())

    /// Whether a resolver is set.
    var isSet: Bool { state.withLock { $0.resolver != nil } }

    func set(_ resolver: ConflictResolver?, report: (@Sendable (String, any Error) -> Void)?) {
        state.withLock { state in
            state.resolver = resolver
            state.report = report
            state.rounds = [:]
        }
    }

    /// The time for which the resolutions of a document are counted, in seconds.
    private static let roundSeconds = 3_600.0

    /// Adds a conflicted document to the queue. If the queue is full, all conflicted documents are resolved instead.
    func add(_ storedID: String) {
        state.withLock { state in
            guard state.waitingCount < StoreLimits.resolutionsWaitingMax else { return state.isForAll = true }
            state.waiting.append(storedID)
            state.waitingCount += 1
        }
    }

    /// Requests that all conflicted documents are resolved.
    func addAll() { state.withLock { $0.isForAll = true } }

    /// Returns whether all conflicted documents are to be resolved, and removes this request.
    func takeAll() -> Bool {
        state.withLock { state in
            defer { state.isForAll = false }
            return state.isForAll
        }
    }

    /// Removes and returns the next document of the queue; `nil` if the queue is empty.
    func next() -> String? {
        state.withLock { state in
            guard let id = state.waiting.popFirst() else { return nil }
            state.waitingCount -= 1
            invariant(
                state.waitingCount >= 0 && (state.waitingCount == 0) == state.waiting.isEmpty,
                "a document that waits is counted")
            return id
        }
    }

    /// Counts a resolution of a document.
    ///
    /// - Returns: The resolver, and whether the document was already resolved `roundsMax` times within an hour; `nil`
    ///   if no resolver is set.
    func begin(_ storedID: String, roundsMax: Int) -> (resolver: ConflictResolver, isExhausted: Bool)? {
        state.withLock { state in
            guard let resolver = state.resolver else { return nil }
            if state.rounds.count >= StoreLimits.resolutionsTrackedMax { state.rounds = [:] }
            var rounds = state.rounds[ExactText(storedID)] ?? (count: 0, since: .now)
            if rounds.since.secondsAgo > AutomaticResolution.roundSeconds { rounds = (count: 0, since: .now) }
            rounds.count += 1
            state.rounds[ExactText(storedID)] = rounds
            return (resolver, rounds.count > roundsMax)
        }
    }

    func report(_ storedID: String, _ error: any Error) {
        state.withLock { $0.report }?(storedID, error)
    }
}

extension Datastore {
    /// Sets a resolver that resolves conflicts automatically, starting with the existing conflicts. The resolver
    /// applies until the database is closed. It applies to the complete database, even if this datastore has the scope
    /// of one owner.
    ///
    /// The resolver runs after the write that created a conflict, outside of any write. A document that is in conflict
    /// again after `resolutionRoundsMax` resolutions within an hour is left in conflict, because another device
    /// probably resolves it differently.
    ///
    /// - Parameters:
    ///   - resolver: A pure function of the leaves; `nil` to stop automatic resolution.
    ///   - report: Called if the resolution of a document fails, or if a document is in conflict too often. The
    ///     arguments are the document's id in ``Scope/all`` and the error. The closure is not called if the resolver
    ///     returns ``Resolution/leave``.
    public func setConflictResolver(
        _ resolver: ConflictResolver?, report: (@Sendable (String, any Error) -> Void)? = nil
    ) throws(StoreError) {
        database.resolution.set(resolver, report: report)
        guard resolver != nil, try !Datastore(database).conflictedIDs(limit: 1).isEmpty else { return }
        database.resolution.addAll()
        database.scheduleResolution()
    }
}

extension Database {
    /// Schedules the automatic resolution of a document that now has more than one live leaf, if a resolver is set.
    /// This method must be called after the commit. Before the commit, a resolver would not find the conflict yet, and
    /// would not be called again.
    func conflictAppeared(_ storedID: String) {
        guard resolution.isSet else { return }
        resolution.add(storedID)
        scheduleResolution()
    }

    /// Resolves the waiting documents.
    func resolveConflicts() async throws {
        let datastore = Datastore(self)
        while true {
            while let id = resolution.next() { await resolveAutomatically(id, in: datastore) }
            guard resolution.takeAll() else { return }
            var lastID: String?
            repeat {
                let ids = try datastore.conflictedIDs(after: lastID, limit: limits.sliceRowsMax)
                for id in ids { await resolveAutomatically(id, in: datastore) }
                lastID = ids.count == limits.sliceRowsMax ? ids.last : nil
            } while lastID != nil
        }
    }

    private func resolveAutomatically(_ id: String, in datastore: Datastore) async {
        guard !Task.isCancelled,
            let (resolver, isExhausted) = resolution.begin(id, roundsMax: limits.resolutionRoundsMax)
        else { return }
        do {
            guard !isExhausted else {
                throw StoreError(
                    .conflict,
                    "\(id) was in conflict again \(limits.resolutionRoundsMax) times: another resolver disagrees. "
                        + "It stays in conflict; resolve it manually.")
            }
            _ = try await datastore.resolveConflict(of: id, by: resolver, source: .resolver)
        } catch {
            guard (error as? StoreError)?.code == .suspended else { return resolution.report(id, error) }
            guard (try? await files.waitUntilActive()) != nil else { return }
            await resolveAutomatically(id, in: datastore)
        }
    }
}
