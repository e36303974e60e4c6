//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitStore

/// The method that resolves the conflicts that a pull creates.
public struct PullResolution: Sendable {
    /// Resolves a conflict. The closure must be a pure function.
    public var resolver: ConflictResolver
    /// Called with a document whose conflict could not be resolved, and the reason. It is not called for a document
    /// that is in conflict again after ``StoreLimits/resolutionRoundsMax`` resolutions in one run.
    public var onUnresolved: @Sendable (_ id: String, any Error) -> Void

    /// Creates a resolution.
    public init(
        _ resolver: ConflictResolver, onUnresolved: @escaping @Sendable (_ id: String, any Error) -> Void = { _, _ in }
    ) {
        self.resolver = resolver
        self.onUnresolved = onUnresolved
    }
}

/// Resolves the conflicts of a datastore when a pull has no more changes.
struct PullResolver {
    let datastore: Datastore
    let resolution: PullResolution
    /// The number of resolutions of each document in this run. The number is limited, because two devices could
    /// otherwise resolve each other's resolutions without end.
    private var rounds: [ExactText: Int] = [:]

    init(datastore: Datastore, resolution: PullResolution) {
        self.datastore = datastore
        self.resolution = resolution
    }

    private static let idsPerSlice = 500
    /// The maximum number of documents whose resolutions are counted. When this number is reached, all counts are
    /// removed.
    private static let countedMax = 10_000

    /// Resolves the documents that are in conflict now, except those with too many resolutions in this run.
    mutating func resolve() async {
        var lastID: String?
        repeat {
            let ids = (try? datastore.conflictedIDs(after: lastID, limit: PullResolver.idsPerSlice)) ?? []
            for id in ids { await resolve(id) }
            lastID = ids.count == PullResolver.idsPerSlice ? ids.last : nil
        } while lastID != nil
    }

    private mutating func resolve(_ id: String) async {
        if rounds.count >= PullResolver.countedMax, rounds[ExactText(id)] == nil { rounds = [:] }
        rounds[ExactText(id), default: 0] += 1
        guard rounds[ExactText(id), default: 0] <= datastore.limits.resolutionRoundsMax else { return }
        do {
            try await datastore.resolveConflict(of: id, by: resolution.resolver)
        } catch {
            resolution.onUnresolved(id, error)
        }
    }
}
