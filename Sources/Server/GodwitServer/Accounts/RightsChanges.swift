//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Collects changes of rights that are not yet applied to open requests and background work.
///
/// Code that changes rights notes the change here. ``RightsWatch`` applies it.
final class RightsChanges: Sendable {
    /// A batch of changes.
    struct Batch: Sendable {
        /// The databases that were created or deleted, and those whose security object changed.
        var databases: Set<String> = []
        /// The names of the accounts that changed.
        var names: Set<ExactText> = []
        /// Whether the rights of all principals may have changed.
        var affectsAllPrincipals = false
    }

    /// The maximum number of databases and names in a batch. A larger batch is treated as a change of the rights of all
    /// principals.
    private static let namesMax = 1_000

    private let pending = Mutex(Batch())
    private let signals: AsyncStream<Void>.Continuation
    private let stream: AsyncStream<Void>

    /// Creates an empty list.
    init() { (stream, signals) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Notes that the security object of a database changed, or that the database was created or deleted.
    func note(database: String) { note { $0.databases.insert(database) } }

    /// Notes that an account was changed or removed.
    func note(account: String) { note { $0.names.insert(ExactText(account)) } }

    /// Notes that the rights of all principals may have changed.
    func noteAllPrincipals() { note { $0.affectsAllPrincipals = true } }

    private func note(_ change: (inout Batch) -> Void) {
        pending.withLock { batch in
            change(&batch)
            guard batch.databases.count + batch.names.count > RightsChanges.namesMax else { return }
            batch = Batch(affectsAllPrincipals: true)
        }
        signals.yield()
    }

    /// Calls a closure with each batch of changes, until the task is cancelled. Call this method only once, because
    /// only one caller can receive the batches.
    func forEach(_ body: (Batch) async -> Void) async {
        for await _ in stream {
            let batch = pending.withLock { pending in
                defer { pending = Batch() }
                return pending
            }
            await body(batch)
        }
    }
}
