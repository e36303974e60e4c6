//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

// An automatic resolver runs after the commit that created a conflict, in a separate write, so that user code never
// blocks the writer. Two devices with different resolvers would resolve each other's result endlessly. Therefore,
// resolution of a document stops after `resolutionRoundsMax` resolutions within an hour: if the document is in conflict
// again after that, it is left in conflict and reported.

/// The automatic resolver of a database, and the documents that wait for it.
final class AutomaticResolution: Sendable {
    private struct State {
        var resolver: ConflictResolver?
        var report: (@Sendable (String, any Error) -> Void)?
        var waiting: [String] = []
        /// The number of resolutions of each document, and the time of the first.
        var rounds: [String: (count: Int, since: Moment)] = [:]
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

    /// Adds a conflicted document to the queue.
    func add(_ storedID: String) {
        state.withLock { state in
            if state.rounds.count >= StoreLimits.resolutionsTrackedMax { state.rounds = [:] }
            state.waiting.append(storedID)
        }
    }

    /// Removes and returns the next document of the queue; `nil` if the queue is empty or no resolver is set. Without a
    /// resolver the queue is cleared.
    func next(roundsMax: Int) -> (storedID: String, resolver: ConflictResolver, isExhausted: Bool)? {
        state.withLock { state in
            guard let resolver = state.resolver, !state.waiting.isEmpty else {
                state.waiting = []
                return nil
            }
            let id = state.waiting.removeFirst()
            var rounds = state.rounds[id] ?? (count: 0, since: .now)
            if rounds.since.secondsAgo > AutomaticResolution.roundSeconds { rounds = (count: 0, since: .now) }
            rounds.count += 1
            state.rounds[id] = rounds
            return (id, resolver, rounds.count > roundsMax)
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
    ///     arguments are the document's id in ``Scope/all`` and the error. Not called if the resolver returns
    ///     ``Resolution/leave``.
    public func setConflictResolver(
        _ resolver: ConflictResolver?, report: (@Sendable (String, any Error) -> Void)? = nil
    ) throws(StoreError) {
        database.resolution.set(resolver, report: report)
        guard resolver != nil else { return }
        let datastore = Datastore(database)
        var lastID: String?
        repeat {
            let ids = try datastore.conflictedIDs(after: lastID, limit: limits.sliceRowsMax)
            for id in ids { database.conflictAppeared(id) }
            lastID = ids.count == limits.sliceRowsMax ? ids.last : nil
        } while lastID != nil
    }
}

extension Database {
    /// Resolves the waiting documents.
    func resolveConflicts() async throws {
        let datastore = Datastore(self)
        while let (id, resolver, isExhausted) = resolution.next(roundsMax: limits.resolutionRoundsMax) {
            do {
                guard !isExhausted else {
                    throw StoreError(
                        .conflict,
                        "\(id) was in conflict again \(limits.resolutionRoundsMax) times: another resolver disagrees. "
                            + "It stays in conflict; resolve it manually.")
                }
                _ = try await datastore.resolveConflict(of: id, by: resolver, source: .resolver)
            } catch {
                resolution.report(id, error)
            }
        }
    }
}
