//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore

/// How conflicts are resolved that a pull brings.
public struct PullResolution: Sendable {
    /// What to make of the sides of a conflict: a pure function.
    public var resolver: ConflictResolver
    /// Told of a document that was left in conflict, and why.
    public var onUnresolved: @Sendable (_ id: String, any Error) -> Void

    /// Creates a way of resolving.
    public init(
        _ resolver: ConflictResolver, onUnresolved: @escaping @Sendable (_ id: String, any Error) -> Void = { _, _ in }
    ) {
        self.resolver = resolver
        self.onUnresolved = onUnresolved
    }
}

/// Resolves the conflicts of a datastore whenever all is there.
struct PullResolver {
    let datastore: Datastore
    let resolution: PullResolution
    /// How often each document was resolved in this run: two devices must not answer each other for ever.
    private var rounds: [ExactText: Int] = [:]

    init(datastore: Datastore, resolution: PullResolution) {
        self.datastore = datastore
        self.resolution = resolution
    }

    private static let idsTogether = 500

    /// Resolves what is in conflict now.
    mutating func resolve() async {
        var last: String?
        repeat {
            let ids = (try? datastore.conflictedIDs(after: last, limit: PullResolver.idsTogether)) ?? []
            for id in ids { await resolve(id) }
            last = ids.count == PullResolver.idsTogether ? ids.last : nil
        } while last != nil
    }

    private mutating func resolve(_ id: String) async {
        rounds[ExactText(id), default: 0] += 1
        guard rounds[ExactText(id), default: 0] <= datastore.limits.resolutionRoundsMax else { return }
        do {
            try await datastore.resolveConflict(of: id, by: resolution.resolver)
        } catch {
            resolution.onUnresolved(id, error)
        }
    }
}
