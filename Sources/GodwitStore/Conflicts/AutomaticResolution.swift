//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads

// A resolver that runs by itself answers a conflict after the commit that made it, in a write of its own: user code never
// holds the writer. Two devices whose resolvers disagree would answer each other for ever, so a document that comes again
// `resolutionRoundsMax` times within an hour is left in conflict and reported.

/// A resolver that runs by itself, and the documents that wait for it.
final class AutomaticResolution: Sendable {
    private struct State {
        var resolver: ConflictResolver?
        var report: (@Sendable (String, any Error) -> Void)?
        var waiting: [String] = []
        /// How often each document was resolved, and since when.
        var rounds: [String: (count: Int, since: Moment)] = [:]
    }

    private let state = Mutex(State())

    /// Whether there is a resolver.
    var isSet: Bool { state.withLock { $0.resolver != nil } }

    func set(_ resolver: ConflictResolver?, report: (@Sendable (String, any Error) -> Void)?) {
        state.withLock { state in
            state.resolver = resolver
            state.report = report
            state.rounds = [:]
        }
    }

    /// How long the rounds of a document are counted, in seconds.
    private static let memorySeconds = 3_600.0

    /// Adds a document in conflict.
    func add(_ storedID: String) {
        state.withLock { state in
            if state.rounds.count >= StoreLimits.resolutionsTrackedMax { state.rounds = [:] }
            state.waiting.append(storedID)
        }
    }

    /// The next document and its resolver.
    func next(roundsMax: Int) -> (storedID: String, resolver: ConflictResolver, isExhausted: Bool)? {
        state.withLock { state in
            guard let resolver = state.resolver, !state.waiting.isEmpty else {
                state.waiting = []
                return nil
            }
            let id = state.waiting.removeFirst()
            var rounds = state.rounds[id] ?? (count: 0, since: .now)
            if rounds.since.secondsAgo > AutomaticResolution.memorySeconds { rounds = (count: 0, since: .now) }
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
    /// Resolves conflicts by itself from now on, those that are here first.
    ///
    /// The resolver runs after the write that made a conflict, outside of any write. A document that comes back in conflict
    /// `resolutionRoundsMax` times is left so, since another device seems to resolve it otherwise.
    ///
    /// - Parameters:
    ///   - resolver: A pure function over the sides; `nil` to stop.
    ///   - report: Told of each document that was left in conflict, by its id, and why.
    public func setConflictResolver(
        _ resolver: ConflictResolver?, report: (@Sendable (String, any Error) -> Void)? = nil
    ) throws(StoreError) {
        database.resolution.set(resolver, report: report)
        guard resolver != nil else { return }
        let all = Datastore(database)
        var last: String?
        repeat {
            let ids = try all.conflictedIDs(after: last, limit: limits.sliceRowsMax)
            for id in ids { database.conflictAppeared(id) }
            last = ids.count == limits.sliceRowsMax ? ids.last : nil
        } while last != nil
    }
}

extension Database {
    /// Resolves the documents that wait for it.
    func resolveConflicts() async throws {
        let datastore = Datastore(self)
        while let (id, resolver, isExhausted) = resolution.next(roundsMax: limits.resolutionRoundsMax) {
            do {
                guard !isExhausted else {
                    throw StoreError(
                        .conflict,
                        "\(id) came back in conflict \(limits.resolutionRoundsMax) times: another resolver disagrees. "
                            + "It is left as it is; resolve it by hand.")
                }
                _ = try await datastore.resolveConflict(of: id, by: resolver, source: .resolver)
            } catch {
                resolution.report(id, error)
            }
        }
    }
}
