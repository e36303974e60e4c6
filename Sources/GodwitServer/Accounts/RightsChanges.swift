//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// Changes of rights that open requests and replications do not know of yet.
///
/// Whoever changes a right notes it here; ``RightsWatch`` follows.
final class RightsChanges: Sendable {
    /// What changed.
    struct Batch: Sendable {
        /// Databases whose security object changed, or that were deleted.
        var databases: Set<String> = []
        /// Accounts that changed.
        var names: Set<String> = []
        /// Whether everybody's rights may have changed.
        var isOfEverybody = false
    }

    /// Names in a batch, above which it counts as a change of everybody's rights.
    private static let namesMax = 1_000

    private let waiting = Mutex(Batch())
    private let signals: AsyncStream<Void>.Continuation
    private let stream: AsyncStream<Void>

    /// Creates a list without changes.
    init() { (stream, signals) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Notes that the security object of a database changed.
    func note(database: String) { note { $0.databases.insert(database) } }

    /// Notes that an account was changed or removed.
    func note(account: String) { note { $0.names.insert(account) } }

    /// Notes that everybody's rights may have changed.
    func noteEverybody() { note { $0.isOfEverybody = true } }

    private func note(_ change: (inout Batch) -> Void) {
        waiting.withLock { batch in
            change(&batch)
            guard batch.databases.count + batch.names.count > RightsChanges.namesMax else { return }
            batch = Batch(isOfEverybody: true)
        }
        signals.yield()
    }

    /// Gives the changes as they come, until the task is cancelled. For one reader.
    func forEach(_ body: (Batch) async -> Void) async {
        for await _ in stream {
            let batch = waiting.withLock { waiting in
                defer { waiting = Batch() }
                return waiting
            }
            await body(batch)
        }
    }
}
